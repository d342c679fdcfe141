/** `paysim gauntlet` as a process, flag by flag: its runs, its verdicts and its baseline. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folder as temporaryFolder } from '../given.ts'
import { gauntlet, SUITE } from '../process/suite-of-lines.ts'

/** Exits after the first webhook, which it refuses. */
const RECEIVING_SUITE = `
  import { once } from 'node:events'
  import { createServer } from 'node:http'
  const receiver = createServer().listen(process.env.PAYSIM_WEBHOOK_PORT, '127.0.0.1')
  const received = once(receiver, 'request')
  ${SUITE}
  const [, response] = await received
  response.writeHead(500, { connection: 'close' }).end()
  await once(response, 'close')
  receiver.close()
  receiver.closeAllConnections()
`

test('a trouble is survived if its rule is ignored, and fails loudly if the client does not retry', async () => {
  const ignore = ['--only', 'refund-immediate', '--ignore', 'C1=the service has no keys yet']
  const ignored = await gauntlet(ignore, SUITE, { RETRIES: '3' }).exited
  expect(ignored.stdout).toMatch(/^survived +refund-immediate /m)

  const { stdout: loud } = await gauntlet(['--only', 'answer-lost-once'], SUITE).exited
  expect(loud).toMatch(
    /^failed loudly +answer-lost-once +1× .*\n +exit code 1: TypeError: fetch failed\n +order-7 is missing: charge 100\.00, refund 25\.00\n +output: (.*)$/m,
  )
  const [, output] =
    /^The tests failed in 1 run\n {2}see answer-lost-once: exit code 1: .*\n {2}output: (.*)$/m.exec(loud)!
  expect(readFileSync(output!, 'utf8')).toContain('ECONNRESET')
})

test('skips webhook troubles if the baseline run answers no webhook, and explains how to receive them', async () => {
  const flags = ['--only', 'webhook-late,refund-immediate', '--ignore', 'C1=the service has no keys yet']
  const sentence = /^Nothing answered a webhook, .* PAYSIM_WEBHOOK_URL, .* --webhook-url\.$/m
  const without = await gauntlet(flags, SUITE).exited
  expect(without.stdout).toMatch(sentence)
  expect(without.stdout).toMatch(/^not exercised +webhook-late {2,}Each webhook/m)
  expect([without.code, without.stdout]).toEqual([0, expect.stringMatching(/^survived +refund-immediate/m)])

  const { stdout } = await gauntlet(flags, RECEIVING_SUITE).exited
  expect(stdout).not.toMatch(sentence)
  expect(stdout).toMatch(/^survived +webhook-late +\d+×/m)

  const { stdout: others } = await gauntlet(['--only', 'refund-immediate'], SUITE).exited
  expect(others).not.toMatch(sentence)
})

test('reports random amounts, compares the rest, and ignores a failure that does not recur', async () => {
  const { folder, exited } = gauntlet(
    ['--only', 'outage,answer-lost:refund', '--jobs', '1', '--ignore', 'C1=the service has no keys yet'],
    `import { existsSync, writeFileSync } from 'node:fs'
    const drawn = (100 + Math.floor(Math.random() * 4000)) / 100
    ${SUITE.replaceAll('amount: 25', 'amount: drawn')}
    const mark = process.env.PAYSIM_TROUBLE + '.txt'
    if (process.env.PAYSIM_TROUBLE === 'outage' && !existsSync(mark)) process.exitCode = 3
    writeFileSync(mark, '')`,
    { RETRIES: '9' },
  )
  const { stdout } = await exited
  expect(existsSync(join(folder, 'outage.txt'))).toBe(true)
  expect(stdout).toMatch(/^Two baseline runs did not move the same money:\n {2}order-7 has refund/m)
  expect(stdout).toMatch(
    /^\w+ \w* *outage .*\n(.*\n)? +Only the first of two runs failed, so it is not counted: exit code 3/m,
  )
  expect(stdout).toMatch(
    /^money wrong +answer-lost:refund .*\n +order-7 was refunded twice, \$\d+\.\d\d too much: req_\d+ and req_\d+ each asked for it\.$/m,
  )
})

test('reports that the baseline run failed once, and ignores a failure that does not recur', async () => {
  const { stdout } = await gauntlet(
    ['--only', 'refund-immediate', '--jobs', '1', '--ignore', 'C1=the service has no keys yet'],
    `import { existsSync, readFileSync, writeFileSync } from 'node:fs'
    const runs = existsSync('runs.txt') ? Number(readFileSync('runs.txt', 'utf8')) : 0
    writeFileSync('runs.txt', String(runs + 1))
    ${SUITE}
    // Fails the second of four runs, a baseline run, and the third, a run with trouble.
    if (runs === 1 || runs === 2) process.exitCode = 3`,
  ).exited
  expect(stdout).toContain('The baseline run passed once and failed once (exit code 3)')
  expect(stdout).toMatch(/^survived +refund-immediate .*\n +Only the first of two runs failed/m)
})

test('stops a run that hangs, and blames the missing timeout but nothing that the stop caused', async () => {
  const { folder, exited } = gauntlet(
    ['--only', 'silence-after-once', '--timeout', '3s', '--no-confirm', '--report', 'json=report.json'],
    SUITE.replace(
      "'content-type'",
      "'idempotency-key': path + '-' + process.env.PAYSIM_API_KEY, 'content-type'",
    ),
  )
  const { code, stdout } = await exited
  expect([code, stdout]).toEqual([
    1,
    expect.stringMatching(
      /^failed loudly +silence-after-once .*\n +it did not end within 3\.0 s and was ended: req_1 waited \d\.\d s without a timeout\n +output/m,
    ),
  ])
  expect(stdout).toMatch(
    /^A request has no timeout in 1 run → Set a timeout on each request\n {2}see silence/m,
  )
  const [{ audit, orders }] = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')).troubles
  expect([audit, orders]).toEqual([[], []])
})

test('runs the troubles of a file, one of each kind, a part of them, and the last failures', async () => {
  const folder = temporaryFolder()
  const [file, report] = [join(folder, 'two-outages.yaml'), join(folder, 'report.json')]
  writeFileSync(
    file,
    'name: Two outages of one request\nbehaviors:\n  - { when: { op: checkouts.refund }, times: 2, do: { respond: 503 } }\n',
  )
  const flags = ['--trouble', file, '--report', `json=${report}`, '--ignore', 'C1=no keys']
  const names = (): string[] =>
    JSON.parse(readFileSync(report, 'utf8')).troubles.map(({ name }: { name: string }) => name)
  const owned = await gauntlet([...flags, '--only', 'two-outages,refund-immediate'], SUITE).exited
  expect(owned.stdout).toMatch(/^failed loudly +two-outages +1× .*Two outages of one request$/m)
  expect(names()).toEqual(['refund-immediate', 'two-outages'])
  const ignored = [...flags, '--ignore', 'C8=it makes no pauses']
  await gauntlet([...ignored, '--failed'], SUITE, { RETRIES: '3' }).exited
  expect(names()).toEqual(['two-outages'])
  const nothing = await gauntlet([...flags, '--failed'], SUITE).exited
  expect(nothing).toMatchObject({ code: 0, stdout: 'Nothing failed in the last run.\n' })
})

test('accepts the failures in the baseline file until they get worse', async () => {
  const folder = temporaryFolder()
  const flags = ['--only', 'answer-lost-once', '--baseline', join(folder, 'baseline.json')]
  expect((await gauntlet([...flags, '--update-baseline'], SUITE).exited).code).toBe(0)
  expect(JSON.parse(readFileSync(join(folder, 'baseline.json'), 'utf8'))).toEqual({
    'answer-lost-once': 'failed loudly',
  })
  const same = await gauntlet(flags, SUITE).exited
  expect([same.code, same.stdout]).toEqual([0, expect.stringContaining('(in the baseline)')])
  expect((await gauntlet(flags, SUITE, { RETRIES: '3' }).exited).code).toBe(1)
})
