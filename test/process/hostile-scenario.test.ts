/** Absurd behaviors are refused, and the process continues. */
import { expect, test } from 'vitest'
import { startPaysim } from './paysim.ts'

// V8 recompiles a regular expression on reuse. With little stack left, that crashed the process.
const HOSTILE = [
  ['lists', '['.repeat(4_000)],
  ['objects', '{'.repeat(4_000)],
  ['items of items', '- '.repeat(4_000)],
  ['a call', `- { when: { call: GET /v1/${'x'.repeat(70_000)} }, do: { respond: 503 } }`],
  ['parentheses', `- { when: { key: "\${${'('.repeat(70_000)}}" }, do: { respond: 503 } }`],
  ['a sum', `- { when: { key: "\${${'a+'.repeat(35_000)}a}" }, do: { respond: 503 } }`],
  [
    'wildcards',
    `- { when: { call: GET /${'**a'.repeat(30)} }, do: { respond: 503 } }
- { when: { call: GET /${'a'.repeat(200)}/b }, do: { respond: 503 } }`,
  ],
] as const

test('endless lists, objects, sums and others, each sent repeatedly, are refused by one process', async () => {
  const paysim = await startPaysim()
  for (const [name, body] of HOSTILE) {
    for (let time = 0; time < 4; time += 1) {
      const answer = await fetch(`${paysim.url}/_sim/behaviors`, { method: 'POST', body })
      expect(answer.status, name).toBe(400)
      expect(await answer.text(), name).toContain('Malformed behavior')
    }
    expect((await fetch(`${paysim.url}/healthz`)).status, name).toBe(200)
  }
})
