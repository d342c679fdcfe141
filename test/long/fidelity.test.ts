/** `paysim fidelity` against a second paysim with a secret profile: a number, a profile, the reports, and what changed since. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { leftovers } from '../leftovers.ts'
import { folder } from '../process/folder.ts'
import { spawnPaysim, startPaysim } from '../process/paysim.ts'

const API_KEY = 'sk_of_the_real_service'

test('it plays the tour, ends with a number, writes a profile and reports, and says what has changed since', async () => {
  const place = folder()
  const file = (name: string) => join(place, name)
  const secret = {
    ids: { prefixes: { refund: 're_' } },
    answers: { created: 200, currency: 'EUR' },
    fields: { refund: { id: 'refundId', completedAt: 'done' } },
    states: { refund: { pending: 'PROCESSING' } },
    // The tour waits for two refunds.
    refunds: { delay: '0s' },
  }
  writeFileSync(file('secret.yaml'), JSON.stringify(secret))
  writeFileSync(file('then.yaml'), JSON.stringify({ ...secret, answers: { created: 200 } }))
  const service = await startPaysim(['--profile', file('secret.yaml'), '--api-key', API_KEY])

  const command = spawnPaysim([
    ...['fidelity', '--target', service.url, '--api-key', API_KEY, '--rate-limit', 'off'],
    ...['--out', file('out.yaml'), '--since', file('then.yaml')],
    ...['json', 'junit', 'html'].flatMap((kind) => ['--report', `${kind}=${file(`report.${kind}`)}`]),
  ])
  const { code, stdout } = await command.exited
  expect(code).toBe(1)
  expect(stdout).toContain('    answers.currency: "EUR"\n')
  expect(stdout).toContain('  answers.currency was "USD", and is "EUR"\n')
  expect(stdout).toContain('No answer teaches idempotency.keep,')
  const last = stdout.trimEnd().split('\n').at(-1)
  expect(last).toMatch(/^[\d,]+ of [\d,]+ observations alike; 7 keys learned, 0 differences no key explains$/)

  expect(readFileSync(file('out.yaml'), 'utf8')).toMatch(/^ {2}currency: EUR {2}# D11, seen \d+ times/m)
  const report = JSON.parse(readFileSync(file('report.json'), 'utf8'))
  expect(report.keys.map(({ key }: { key: string }) => key)).toEqual([
    'ids.prefixes.refund',
    'answers.created',
    'answers.currency',
    'fields.refund.id',
    'fields.refund.completedAt',
    'states.refund.pending',
    'refunds.delay',
  ])
  expect(report.changes).toEqual(['answers.currency was "USD", and is "EUR"'])
  expect(readFileSync(file('report.junit'), 'utf8')).toContain('answers.currency was')
  const page = readFileSync(file('report.html'), 'utf8')
  expect(page).toMatch(/<h1>[^<;]* observations are alike<\/h1>/)
  expect(leftovers(page)).toEqual([])
  expect([stdout, page].join()).not.toContain(API_KEY)
})
