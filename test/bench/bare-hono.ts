/** The floor of what is built on Hono: an app that reads the request's body and answers a constant. */
import { serve } from '@hono/node-server'
import { Hono } from 'hono'

const [status, body] = JSON.parse(process.argv[2]!) as [200 | 201, string]
const headers = { 'content-type': 'application/json' }

const app = new Hono()
app.get('*', (c) => c.body(body, status, headers))
app.post('*', async (c) => {
  await c.req.arrayBuffer()
  return c.body(body, status, headers)
})
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => {
  console.log(`http://127.0.0.1:${port}`)
})
