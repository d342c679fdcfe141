/** A client that disconnects before its response is reported in the journal, the log and the pages. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { ORDER } from '../order.ts'
import { startPaysim } from './paysim.ts'

test.for([
  ['hold=gate', 'before the commit', 'with a reset'],
  ['hold=gate; at=after-commit', 'after the commit', 'with a reset'],
  ['hold=gate; at=after-commit', 'after the commit', 'by ending its side alone'],
] as const)('with X-Sim: %s, a client that disconnects %s, %s, is reported', async ([sim, when, how]) => {
  const { url, call, held, said, stop } = await startPaysim(['--log', 'json'])
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
  const explained = (await call('GET', '/_sim/requests/req_1')).body
  expect(explained).toMatchObject({
    status: 201,
    fault: 'client left',
    summary: expect.stringContaining(`The client left ${when}, and did not receive the answer.`),
  })
  expect((await call('GET', '/_sim/requests')).body.data).toMatchObject([{ fault: 'client left' }])
  expect(await read('/_sim/explain/req_1')).toContain(`The client left ${when}`)
  expect(await read(`/_sim/ui/resources/${explained.response.json.id}`)).toContain('client left')
  expect(await read('/_sim/ui/requests')).toContain('client left')
  expect(await read('/_sim/ui/requests/req_1')).toContain(`The client left ${when}`)
  await stop()
  const lines = said.stderr.trim().split('\n')
  const [line] = lines.map((text) => JSON.parse(text)).filter(({ request }) => request === 'req_1')
  expect(line).toMatchObject({ message: 'POST /v1/checkouts 201', clientLeft: when })
})
