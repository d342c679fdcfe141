/** The environment of the documents' examples: a running simulator, and a folder with the files of a page. */
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newSimulator } from '../control/shop.ts'
import { ORDER } from '../order.ts'
import { blocksOf } from './blocks.ts'

const root = join(import.meta.dirname, '../..')

/** The address of paysim in the documents. */
export const DEFAULT_ADDRESS = 'http://127.0.0.1:4100'
export const DEFAULT_API_KEY = 'sk_staging_default'

/** A simulator with a sandbox `default` that has received a charge and a refund, req_1 to req_3. */
export async function serve() {
  const simulator = newSimulator({ rateLimit: 'off', refundDelay: 0 })
  const { url } = await simulator.listen()
  const post = async (path: string, body: object) => {
    const headers = {
      'x-api-key': DEFAULT_API_KEY,
      'content-type': 'application/json',
      'idempotency-key': path,
    }
    const answer = await fetch(`${url}/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    return (await answer.json()) as { id: string }
  }
  const { id } = await post('/checkouts', { ...ORDER, amount: 100 })
  await post(`/checkouts/${id}/confirm`, {})
  await post(`/checkouts/${id}/refunds`, { amount: 25 })
  await simulator.sandbox('default').clock.advance('1d')
  return url
}

/** A folder with the files of a page, as if its reader had written them. */
export function write(page: string, to: string, replace: (text: string) => string = (text) => text): string {
  mkdirSync(join(to, 'scenarios'), { recursive: true })
  cpSync(join(root, 'scenarios/answer-lost.yaml'), join(to, 'scenarios/answer-lost.yaml'))
  writeFileSync(join(to, 'package.json'), '{ "type": "module" }')
  for (const { file, code } of blocksOf(page)) if (file) writeFileSync(join(to, file), replace(code))
  return to
}
