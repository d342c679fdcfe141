/** Tests of a few lines for `paysim gauntlet` and `paysim exec`. */
import { join } from 'node:path'
import { folder as temporaryFolder } from '../given.ts'
import { runPaysim, spawnPaysim } from './paysim.ts'

/** A suite that retries up to RETRIES times without a key. */
export const SUITE = `
  const { PAYSIM_URL, PAYSIM_API_KEY, RETRIES = '0' } = process.env
  async function post(path, body) {
    for (let left = Number(RETRIES); ; left -= 1) {
      try {
        const response = await fetch(PAYSIM_URL + '/v1/checkouts' + path, {
          method: 'POST',
          headers: { 'x-api-key': PAYSIM_API_KEY, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        })
        if (response.ok || response.status === 409) return await response.json()
        throw new Error('status ' + response.status)
      } catch (error) {
        if (left === 0) throw error
      }
    }
  }
  const urls = { successUrl: 'https://shop.test/ok', cancelUrl: 'https://shop.test/no' }
  const { id } = await post('', { orderId: 'order-7', externalId: 'ada', amount: 100, ...urls })
  await post('/' + id + '/confirm', {})
  await post('/' + id + '/refunds', { amount: 25 })
`

type Given = [flags: readonly string[], suite: string, environment?: Record<string, string>]

function prepared(command: 'gauntlet' | 'exec', [flags, suite, environment = {}]: Given) {
  const folder = temporaryFolder({ 'suite.mjs': suite })
  const line = [command, ...flags, '--', process.execPath, join(folder, 'suite.mjs')]
  return { folder, line, variables: { TMPDIR: folder, ...environment } }
}

/** Runs `paysim gauntlet` with these tests, in a folder of its own. */
export function gauntlet(...given: Given) {
  const { folder, line, variables } = prepared('gauntlet', given)
  return { folder, exited: runPaysim(line, variables, folder) }
}

/** Runs it in a separate process, which can be interrupted, and where `exec` shares its output with the tests. */
export function spawned(command: 'gauntlet' | 'exec', ...given: Given) {
  const { folder, line, variables } = prepared(command, given)
  return { folder, ...spawnPaysim(line, variables, { cwd: folder }) }
}

/** Runs `paysim exec` with these tests in a separate process. */
export const exec = (...given: Given) => spawned('exec', ...given)
