/** The three ways to learn a profile, as commands: scenarios that are compared, a HAR file, and a proxy in front of the service. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ORDER, OTHER_WORDS } from '../contract/different-profile.ts'
import { folder } from '../process/folder.ts'
import { runPaysim, saying, spawnPaysim, startPaysim } from '../process/paysim.ts'

const API_KEY = 'sk_of_the_real_service'

test('run --learn, learn and shadow find what a second paysim with a secret profile shows, and write no key down', async () => {
  const place = folder()
  const file = (name: string) => join(place, name)
  writeFileSync(file('secret.yaml'), JSON.stringify(OTHER_WORDS))
  const service = await startPaysim(['--profile', file('secret.yaml'), '--api-key', API_KEY])

  const shadow = spawnPaysim([
    ...['shadow', '--target', service.url, '--port', '0', '--dashboard-port', '0'],
    ...['--learn', file('shadow.yaml'), '--report', `json=${file('shadow.json')}`],
    ...['--report', `html=${file('shadow.html')}`],
  ])
  await saying(shadow, '/real-service')
  const [proxy = '', dashboard = ''] = shadow.said.stdout.match(/http:\S+(?= passes| shows)/g) ?? []
  const run = spawnPaysim([
    ...['run', 'scenarios/tour.yaml', '--target', service.url, '--compare', '--learn', file('run.yaml')],
  ])

  const entries: object[] = []
  for (const orderId of ['one', 'two']) {
    const url = `${proxy}/v1/checkouts`
    const request = { method: 'POST', body: JSON.stringify({ ...ORDER, orderId }) }
    const headers = { 'x-api-key': API_KEY, 'content-type': 'application/json' }
    const answer = await fetch(url, { ...request, headers })
    const named = (all: Iterable<[string, string]>) => [...all].map(([name, value]) => ({ name, value }))
    entries.push({
      request: {
        method: 'POST',
        url,
        headers: named(Object.entries(headers)),
        postData: { text: request.body },
      },
      response: {
        status: answer.status,
        headers: named(answer.headers),
        content: { text: await answer.text() },
      },
    })
  }
  writeFileSync(file('traffic.har'), JSON.stringify({ log: { entries } }))
  const har = spawnPaysim(['learn', file('traffic.har'), '--out', file('har.yaml')])
  await saying(shadow, /≠.*≠/s)
  const shown = await (await fetch(dashboard)).text()
  shadow.child.kill('SIGINT')

  expect(await shadow.exited).toMatchObject({ code: 0, stderr: '' })
  expect(await har.exited).toMatchObject({ code: 0, stderr: '' })
  // It says that there are differences.
  expect(await run.exited).toMatchObject({ code: 1, stderr: '' })
  const written = ['shadow.yaml', 'shadow.json', 'shadow.html', 'har.yaml', 'run.yaml'].map((name) =>
    readFileSync(file(name), 'utf8'),
  )
  for (const text of [shown, ...written]) {
    expect(text).toContain('OPEN')
    expect(text).not.toContain(API_KEY)
  }
  expect(shadow.said.stdout).toContain('$.status is "OPEN" there, and "pending" here\n')
  expect(shadow.said.stdout).toContain('2 of 2 requests differ\n')
  expect(run.said.stdout).toMatch(/run\.yaml: \d+ keys learned, of \d+ keys of which something was seen/)
  const check = spawnPaysim(['profile', '--check', file('run.yaml')])
  expect((await check.exited).stdout).toContain('states.checkout.pending is OPEN, not pending (D1, ')
})

test('learn names an entry that cannot be played and leaves it out, and writes no secret of it down', async () => {
  const [har, out] = ['traffic.har', 'learned.yaml'].map((name) => join(folder(), name)) as [string, string]
  const entry = (method: string, url: string) => ({
    request: { method, url, headers: [{ name: 'X-Api-Key', value: API_KEY }] },
    response: { status: 200, headers: [], content: { text: JSON.stringify({ data: [], note: API_KEY }) } },
  })
  const entries = [
    entry('GE T', `http://service.test/v1/checkouts?key=${API_KEY}`),
    entry('GET', 'http://service.test/v1/checkouts'),
  ]
  writeFileSync(har, JSON.stringify({ log: { entries } }))
  const { code, stdout, stderr } = await runPaysim(['learn', har, '--out', out])
  expect([code, stderr]).toEqual([0, "entry 1 is left out: 'GE T' is not a valid HTTP method.\n"])
  expect(stdout).toContain('learned.yaml: ')
  expect(stdout + readFileSync(out, 'utf8')).not.toContain(API_KEY)
})
