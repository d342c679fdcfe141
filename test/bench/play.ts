/** What playing side by side saves: `paysim run` of the same small files, one at a time and with more jobs. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Measure, median } from './measure.ts'

const command = join(import.meta.dirname, '../../../dist/main.js')

const scenario = (number: number) => `name: Small ${number}
steps:
  - call: POST /v1/checkouts
    json: { orderId: o-${number}, externalId: acme, amount: 1000.00, successUrl: https://shop.test/ok, cancelUrl: https://shop.test/no }
    capture: { checkout: $.id }
  - call: GET /v1/checkouts/\${checkout}
    expect: { json: { status: pending } }
`

async function seconds(path: string, jobs: number): Promise<number> {
  const before = performance.now()
  const child = spawn(process.execPath, [command, 'run', path, '--jobs', String(jobs)], { stdio: 'ignore' })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`paysim run ends with ${code}.`)
  return (performance.now() - before) / 1000
}

/** Both take turns, so that a busy minute on the machine hits both. */
export const sideBySide =
  (files: number, jobs: number): Measure =>
  async ({ rounds }) => {
    const folder = mkdtempSync(join(tmpdir(), 'paysim-bench-'))
    try {
      for (let number = 0; number < files; number++)
        writeFileSync(join(folder, `${String(number).padStart(4, '0')}.yaml`), scenario(number))
      const turns: { single: number; side: number }[] = []
      // Each takes some seconds, so a few show what they need.
      for (let round = 0; round < Math.min(rounds, 3); round++)
        turns.push({ single: await seconds(folder, 1), side: await seconds(folder, jobs) })
      const middle = (pick: (turn: (typeof turns)[number]) => number) => median(turns.map(pick)).toFixed(1)
      return {
        samples: turns.map(({ single, side }) => side / single),
        unit: 'of one at a time',
        detail: `${middle(({ side }) => side)} s with --jobs ${jobs}, ${middle(({ single }) => single)} s with --jobs 1`,
      }
    } finally {
      rmSync(folder, { recursive: true })
    }
  }
