/** `paysim record` as a process: requests to one paysim become a file that another one runs. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folder } from '../given.ts'
import { ORDER } from '../order.ts'
import { runPaysim, servedPaysim } from './paysim.ts'

test('a session is recorded over HTTP, and passes', async () => {
  const { url } = await servedPaysim()
  const headers = { 'x-api-key': 'sk_staging_default', 'content-type': 'application/json' }
  const post = async (path: string, body: object) => {
    const answer = await fetch(`${url}/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    return (await answer.json()) as { id: string }
  }
  const { id } = await post('/checkouts', ORDER)
  await post('/checkouts', ORDER)
  await post(`/checkouts/${id}/confirm`, {})
  await post(`/checkouts/${id}/refunds`, { amount: 250 })

  const file = join(folder(), 'session.yaml')
  const recorded = await runPaysim(['record', 'req_4', '--target', url, '--name', 'Mine', '--out', file])
  expect(recorded).toMatchObject({
    code: 0,
    stdout: '',
    stderr:
      'added req_1, because other requests depend on it\nadded req_3, because other requests depend on it\n',
  })
  expect(readFileSync(file, 'utf8')).toContain('name: Mine')
  const unknown = await runPaysim(['record', 'req_999', '--target', url])
  expect(unknown).toMatchObject({ code: 1, stdout: '', stderr: 'Request req_999 not found\n' })
  expect(await runPaysim(['record', '--target', url, '--sandbox', 'shoop'])).toMatchObject({
    code: 2,
    stderr: `Cannot use the sandbox shoop at ${url}: Sandbox not found.\n`,
  })
  await fetch(`${url}/_sim/requests`, { method: 'DELETE' })
  expect(await runPaysim(['record', '--target', url])).toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'The journal of the sandbox default has no request, so there is nothing to record.\n',
  })
  expect(await runPaysim(['run', file])).toMatchObject({ code: 0, stderr: '' })
})
