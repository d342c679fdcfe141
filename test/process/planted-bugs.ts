/** Four small shops as people write them, with default timing, and copies of them with one mistake each. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { folder } from '../given.ts'

const PROGRAMS_FOLDER = join(import.meta.dirname, '../programs')

export const PROGRAMS = {
  'sale.mjs': [process.execPath, 'sale.mjs'],
  'sale.py': ['python3', 'sale.py'],
  'sale.sh': ['bash', 'sale.sh'],
  'outbox.py': ['python3', 'outbox.py'],
} as const

export type ProgramName = keyof typeof PROGRAMS

/** The receiver of their webhooks, a process of its own. */
export const RECEIVER = 'receiver.py'

/** A shop that is a process of its own, and what tests it. */
export const SERVER = 'server.mjs'
export const BUYER = [process.execPath, 'buyer.mjs']

interface Mistake {
  file: ProgramName | typeof RECEIVER | typeof SERVER
  /** The right code, which must occur once in the file. */
  right: string
  wrong: string
}

export const MISTAKES = {
  'no key': { file: 'sale.mjs', right: "...(key && { 'idempotency-key': key }),", wrong: '' },
  '409 as success': {
    file: 'sale.mjs',
    right: 'if (response.ok) return answer',
    wrong: 'if (response.ok || response.status === 409) return answer',
  },
  'gives up at 429': { file: 'sale.mjs', right: ' && response.status !== 429', wrong: '' },
  'float amounts': { file: 'sale.py', right: 'amount = Decimal("19.99")', wrong: 'amount = 0.1 + 0.2' },
  'key for each attempt': {
    file: 'sale.sh',
    right: 'idempotency-key: $4"',
    wrong: 'idempotency-key: $(key)"',
  },
  'key for each process start': {
    file: 'outbox.py',
    right: '"idempotency-key": key,',
    wrong: '"idempotency-key": PROCESS_KEY,',
  },
  'memory-only duplicates': { file: RECEIVER, right: 'FILE = "shop.sqlite"', wrong: 'FILE = ":memory:"' },
  'last event wins': { file: RECEIVER, right: " where status <> 'completed'", wrong: '' },
  'rotates the key at the third try': {
    file: 'sale.mjs',
    right: "'idempotency-key': key }",
    wrong: "'idempotency-key': tried > 2 ? randomUUID() : key }",
  },
  'drops the refund at the second failure': {
    file: 'sale.mjs',
    right: 'if (error.isFinal) throw error\n',
    wrong:
      "if (error.isFinal) throw error\n      if (tried === 2 && path.endsWith('/refunds')) return { id: 'later', status: 'completed' }\n",
  },
  'takes the second 409 as success': {
    file: 'sale.mjs',
    right: 'const isInFlight =',
    wrong: 'if (tried > 1 && response.status === 409) return answer\n      const isInFlight =',
  },
  'key not stored': {
    file: SERVER,
    right: 'order.keys[intent] ??= randomUUID()\n  store()',
    wrong: 'order.keys[intent] ??= randomUUID()',
  },
  'outbox row deleted first': {
    file: SERVER,
    right: 'await charge(outbox[0])\n      outbox.shift()\n      store()',
    wrong: 'const first = outbox.shift()\n      store()\n      await charge(first)',
  },
  'webhook marked first': {
    file: SERVER,
    right: "  await post(`/checkouts/${data.id}/refunds`, { amount: 10 }, keyOf(order, 'deposit'))",
    wrong:
      "  events.add(event)\n  store()\n  await post(`/checkouts/${data.id}/refunds`, { amount: 10 }, keyOf(order, 'deposit'))",
  },
  'key for each webhook': { file: SERVER, right: "keyOf(order, 'deposit')", wrong: 'randomUUID()' },
  'key for each life': { file: SERVER, right: "keyOf(order, 'checkout')", wrong: 'randomUUID()' },
} as const satisfies Record<string, Mistake>

export type MistakeName = keyof typeof MISTAKES

/** The folder of the programs, one of them with a mistake; it is gone with the test. */
export function programsWith(name?: MistakeName): string {
  const copy = folder()
  cpSync(PROGRAMS_FOLDER, copy, { recursive: true })
  if (name === undefined) return copy
  const { file, right, wrong } = MISTAKES[name]
  const path = join(copy, file)
  const parts = readFileSync(path, 'utf8').split(right)
  if (parts.length !== 2) throw new Error(`${file} has ${right} ${parts.length - 1} times`)
  writeFileSync(path, parts.join(wrong))
  return copy
}

/** The gauntlet's output without what differs from run to run: times, counts and the ids of requests. */
export const comparable = (output: string): string =>
  output
    .replaceAll(/\d+× +[\d.]+ m?s/g, '1× 1 s')
    .replaceAll(/req_\d+/g, 'req_1')
    .replaceAll(/\d+ of 10 more/g, '10 of 10 more')
