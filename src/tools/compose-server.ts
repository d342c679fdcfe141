import { buildServer } from '../server/simulator/server.ts'
import { DEFAULT_SANDBOX } from '../spec/options/sandbox.ts'

/** A server at its own address, to play a file in. */
export async function startOwn() {
  const { at, internalsOf, close } = buildServer({})
  const { url } = await at('staging').listen()
  return { url, apiKey: internalsOf(DEFAULT_SANDBOX).config.apiKey, close }
}
