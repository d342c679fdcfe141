/** A client requests thousands of pages concurrently over HTTP/2 and reads no response; paysim still stops on request. */
import { connect } from 'node:http2'
import { expect, onTestFinished, test } from 'vitest'
import { startPaysim } from '../process/paysim.ts'

const CONNECTIONS = 40
const STREAMS = 100

test.each(['/_sim/ui', '/_sim/openapi.json', '/_sim/ui/live'])('%s', async (path) => {
  const { url, stop } = await startPaysim(['--tls'])
  let answered = 0
  let finished = 0
  const connected = Array.from({ length: CONNECTIONS }, async () => {
    const session = connect(url, { rejectUnauthorized: false, settings: { initialWindowSize: 0 } })
    onTestFinished(() => session.destroy())
    session.on('error', () => {})
    for (let count = 0; count < STREAMS; count += 1) {
      const stream = session.request({ ':path': path })
      stream.on('error', () => {})
      stream.on('response', () => {
        answered += 1
      })
      stream.on('close', () => {
        finished += 1
      })
    }
    await new Promise((resolve) => session.once('connect', resolve))
  })
  await Promise.all(connected)
  await expect.poll(() => answered).toBeGreaterThan(0)
  // A window of 0 allows no body, so some responses are still open when paysim stops.
  expect(finished).toBeLessThan(CONNECTIONS * STREAMS)
  expect(await stop()).toMatchObject({ code: 0, stderr: '' })
})
