/** A client that disconnects before its response is reported in the journal, the log and the pages. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { ORDER } from '../order.ts'
import { startPaysim } from './paysim.ts'

const LEAVING = [
  ['hold=gate', 'before the commit', 'with a reset'],
  ['hold=gate; at=after-commit', 'after the commit', 'with a reset'],
  ['hold=gate; at=after-commit', 'after the commit', 'by ending its side alone'],
] as const

test('a client that disconnects before or after the commit, in either way, is reported', async () => {
  const paysim = await startPaysim(['--log', 'json'])
  for (const [index, leaving] of LEAVING.entries()) await expectReported(paysim, `req_${index + 1}`, leaving)
  await paysim.stop()
  const lines = paysim.said.stderr.trim().split('\n')
  const logged = lines.map((text) => JSON.parse(text)).filter(({ clientLeft }) => clientLeft)
  expect(logged).toMatchObject(
    LEAVING.map(([, when], index) => ({
      request: `req_${index + 1}`,
      message: 'POST /v1/checkouts 201',
      clientLeft: when,
    })),
  )
})

async function expectReported(
  { url, call, held }: Awaited<ReturnType<typeof startPaysim>>,
  request: string,
  [sim, when, how]: (typeof LEAVING)[number],
) {
  const text = JSON.stringify(ORDER)
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.write(
    [
      'POST /v1/checkouts HTTP/1.1',
      'host: 127.0.0.1',
      'x-api-key: sk_staging_default',
      'content-type: application/json',
      `content-length: ${text.length}`,
      `x-sim: ${sim}`,
      '',
      text,
    ].join('\r\n'),
  )
  await held('gate')
  const gone = once(socket, 'close')
  if (how === 'with a reset') socket.resetAndDestroy()
  else socket.resume().end()
  await gone
  // On this machine, the reset arrives before the next request, so a response to that means that the server has seen the reset.
  await call('GET', '/_sim/gates')
  await call('POST', '/_sim/gates/gate/release')
  await fetch(`${url}/_sim/settle`, { method: 'POST' })

  const read = async (path: string) => (await fetch(url + path, { headers: { accept: '*/*' } })).text()
  const explained = (await call('GET', `/_sim/requests/${request}`)).body
  expect(explained).toMatchObject({
    status: 201,
    fault: 'client left',
    summary: expect.stringContaining(`The client left ${when}, and did not receive the answer.`),
  })
  expect((await call('GET', '/_sim/requests?limit=1')).body.data).toMatchObject([{ fault: 'client left' }])
  expect(await read(`/_sim/explain/${request}`)).toContain(`The client left ${when}`)
  expect(await read(`/_sim/ui/resources/${explained.response.json.id}`)).toContain('client left')
  expect(await read('/_sim/ui/requests')).toContain('client left')
  expect(await read(`/_sim/ui/requests/${request}`)).toContain(`The client left ${when}`)
}
