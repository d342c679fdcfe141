import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folder } from '../given.ts'
import { runPaysim, startPaysim } from './paysim.ts'

function scenario(text: string): string {
  return join(folder({ 'down.yaml': text }), 'down.yaml')
}

const DOWN = 'name: Down\nbehaviors: [{ id: down, do: { respond: { status: 503 } } }]\n'

test('--scenario arms before the first request, and reloads the file when it changes', async () => {
  const file = scenario(DOWN)
  const paysim = await startPaysim(['--scenario', file, '--rate-limit', 'off'])
  expect((await paysim.call('GET', '/v1/checkouts')).status).toBe(503)

  writeFileSync(file, DOWN.replace('503', '502'))
  let status = 503
  while (status === 503) status = (await paysim.call('GET', '/v1/checkouts')).status
  expect(status).toBe(502)
  expect((await paysim.stop()).code).toBe(0)
})

test('an invalid change is logged, and the armed behaviors stay', async () => {
  const file = scenario(DOWN)
  const paysim = await startPaysim(['--scenario', file, '--log', 'json'])
  writeFileSync(file, DOWN.replace('respond', 'repond'))
  while (!paysim.said.stderr.includes('did you mean respond?')) await paysim.call('GET', '/healthz')
  expect((await paysim.call('GET', '/v1/checkouts')).status).toBe(503)
})

test('a file that is invalid at the start is reported with line and column, and nothing starts', async () => {
  const file = scenario(DOWN.replace('503', 'soon'))
  const { code, stdout, stderr } = await runPaysim(['start', '--port', '0', '--scenario', file])
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toBe(`${file}:2:50: behaviors[0].do.respond.status must be a number, not "soon"\n`)

  const nowhere = await runPaysim(['start', '--port', '0'], { PAYSIM_SCENARIO: '/no/such.yaml' })
  expect(nowhere).toMatchObject({
    code: 2,
    stderr: 'PAYSIM_SCENARIO names a file or folder that does not exist: /no/such.yaml.\n',
  })
})

test('a stopped command responds to the held requests and exits with 0', async () => {
  const paysim = await startPaysim()
  const headers = { 'x-api-key': 'sk_staging_default', 'x-sim': 'hold=gate-a' }
  const held = fetch(`${paysim.url}/v1/checkouts`, { headers })
  const hanging = fetch(`${paysim.url}/v1/checkouts`, { headers: { ...headers, 'x-sim': 'fault=hang' } })
  await fetch(`${paysim.url}/_sim/gates/gate-a?within=10s`)
  const [{ code }, answer, lost] = await Promise.all([paysim.stop(), held, hanging.catch(String)])
  expect([code, answer.status, lost]).toEqual([0, 200, 'TypeError: fetch failed'])
})
