/** Puts a server together with the parts of its pages that only tools have. */

import { LazyPart } from '../sandbox/lazy-part.ts'
import { buildServer, type ServerParts } from '../server/simulator/server.ts'
import { DEFAULT_SANDBOX } from '../spec/options/sandbox.ts'
import type { SimulatorOptions } from '../spec/options/simulator.ts'

export const composeServer = (options: SimulatorOptions, parts: Partial<ServerParts> = {}) =>
  buildServer(options, { whyRecordingFails, ...parts })

/** A server at an address of its own, to play a file in. */
export async function startOwn() {
  const { at, internalsOf, close } = composeServer({})
  const { url } = await at('staging').listen()
  return { url, apiKey: internalsOf(DEFAULT_SANDBOX).config.apiKey, close }
}

const player = new LazyPart(() => import('./player/play-recorded.ts'))

async function whyRecordingFails(yaml: string): Promise<string | undefined> {
  const { whyNotPassed } = await player.load()
  return whyNotPassed(yaml, startOwn)
}
