/** TROUBLE.yaml: the file of a failed run shows the same money without the program, and injects its failures until the bug is fixed. */
import { copyFileSync, cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { folder } from '../given.ts'
import { ORDER } from '../order.ts'
import { spawnPaysim } from '../process/paysim.ts'
import { BUYER, PROGRAMS, programsWith, SERVER } from '../process/planted-bugs.ts'
import { HONEST_SHOP } from './gauntlet-report.ts'

/** A copy of the example shop that handles a webhook again when it arrives again. */
function shopThatHandlesAgain(): string {
  const shop = folder()
  cpSync(HONEST_SHOP, shop, { recursive: true })
  const file = join(shop, 'receiver.js')
  const parts = readFileSync(file, 'utf8').split('if (seen.has(id)) return answer(204)')
  expect(parts).toHaveLength(2)
  writeFileSync(file, parts.join(''))
  return shop
}

interface Run {
  broken: () => string
  fixed?: () => string
  trouble: string
  command: readonly string[]
  flags?: readonly string[]
  /** The expected sums of the ledger. */
  ledger: object
}

const RUNS: Record<string, Run> = {
  'a single failure': {
    broken: () => programsWith('key for each attempt'),
    trouble: 'answer-lost:refund',
    command: PROGRAMS['sale.sh'],
    ledger: { charges: 1, refunds: 2 },
  },
  'a pair of failures': {
    broken: () => programsWith('rotates the key at the third try'),
    trouble: 'answer-lost@checkouts.refund+answer-lost@checkouts.refund#2',
    command: PROGRAMS['sale.mjs'],
    ledger: { charged: 100, charges: 1, refunded: 40, refunds: 2 },
  },
  'a crash': {
    broken: () => programsWith('key not stored'),
    trouble: 'crash-after-commit',
    command: BUYER,
    flags: ['--app', `"${process.execPath}" ${SERVER}`],
    ledger: { charged: 100, charges: 1, refunds: 2 },
  },
  webhooks: {
    broken: () => shopThatHandlesAgain(),
    fixed: () => HONEST_SHOP,
    trouble: 'webhook-duplicated',
    command: [process.execPath, '--test'],
    // The failure hit each of the shop's three orders.
    ledger: { charged: 600, charges: 3 },
  },
}

/** Fails a program, plays its file without the program, and tries the file with the broken and the fixed program. */
async function follow({ broken, fixed = programsWith, trouble, command, flags = [], ledger }: Run) {
  const gauntlet = (cwd: string, ...options: string[]) =>
    spawnPaysim(['gauntlet', ...options, ...flags, '--', ...command], {}, { cwd }).exited
  const reports = folder()
  const report = join(reports, 'report.json')
  const found = await gauntlet(broken(), '--only', trouble, '--report', `json=${report}`)
  expect([found.code, found.stderr]).toEqual([1, ''])
  const file = join(reports, 'TROUBLE.yaml')
  expect(found.stdout).toContain(`\n  file: ${file}\n`)

  const text = readFileSync(file, 'utf8')
  const { steps, behaviors } = parse(text)
  const [{ scenario }] = JSON.parse(readFileSync(report, 'utf8')).troubles
  expect(scenario).toEqual({ path: file, yaml: text })
  expect(steps.at(-1).ledger).toMatchObject(ledger)
  expect(steps.length).toBeLessThanOrEqual(40)
  expect(text.length).toBeLessThan(20_480)
  expect(text).not.toMatch(/whsec_|x-api-key|sk_/)
  expect(behaviors.length).toBeGreaterThan(0)

  const empty = folder()
  copyFileSync(file, join(empty, 'TROUBLE.yaml'))
  const played = await spawnPaysim(['run', 'TROUBLE.yaml'], {}, { cwd: empty }).exited
  expect([played.code, played.stderr, played.stdout]).toEqual([0, '', expect.stringContaining('1 passed')])

  expect((await gauntlet(broken(), '--trouble', file)).code).toBe(1)
  const again = await gauntlet(fixed(), '--trouble', file)
  expect(again.stdout).toMatch(/^1 survived, in /m)
  expect(again.code).toBe(0)
}

// Concurrent, because the programs mostly wait.
test('the file of a failed run shows its money, and injects its failures until the bug is fixed', async () => {
  await Promise.all(Object.values(RUNS).map(follow))
})

test('a run that is too long for a file is reported', async () => {
  const cwd = folder()
  const program = `
    const { PAYSIM_URL, PAYSIM_API_KEY } = process.env
    const send = async (method, path, body) => {
      const headers = { 'x-api-key': PAYSIM_API_KEY, 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() }
      return (await fetch(PAYSIM_URL + '/v1' + path, { method, headers, body: body && JSON.stringify(body) })).json()
    }
    const { id } = await send('POST', '/checkouts', ${JSON.stringify(ORDER)})
    await send('POST', '/checkouts/' + id + '/confirm', {})
    for (let read = 0; read < 40; read += 1) await send('GET', '/checkouts/' + id)
    await send('POST', '/checkouts/' + id + '/refunds', { amount: 5 })`
  writeFileSync(join(cwd, 'shop.mjs'), program)
  const flags = ['--only', 'answer-lost:refund', '--report', 'json=report.json']
  const command = ['gauntlet', ...flags, '--', process.execPath, 'shop.mjs']
  const { code, stdout } = await spawnPaysim(command, {}, { cwd }).exited
  expect(stdout).toMatch(/^ {2}file: none: 4\d steps and \d+ KB, and a file has at most 40 and 20 KB$/m)
  const [{ scenario }] = JSON.parse(readFileSync(join(cwd, 'report.json'), 'utf8')).troubles
  expect(scenario).toEqual({ differs: expect.stringMatching(/^4\d steps/) })
  expect(readdirSync(cwd).sort()).toEqual(['report.json', 'shop.mjs'])
  expect(code).toBe(1)
})
