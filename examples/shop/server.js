/**
 * The shop as a process. Besides webhooks it serves `GET /handled`, the number of events that had an effect, for
 * `paysim grade --probe`; a shop on the internet would not.
 */
import { createServer } from 'node:http'
import { PaymentsClient } from './client.js'
import { environment } from './environment.js'
import { createReceiver } from './receiver.js'
import { Shop } from './shop.js'

const { url, apiKey, secret, port } = environment
const shop = new Shop({ payments: new PaymentsClient({ url, apiKey }) })
const receiver = createReceiver({ secret, handle: (event) => shop.handle(event) })

const server = createServer((request, response) => {
  if (request.method !== 'GET' || request.url !== '/handled')
    return receiver.emit('request', request, response)
  response.writeHead(200, { 'content-type': 'application/json' })
  return response.end(JSON.stringify({ handled: shop.journal.length }))
})
server.listen(port, '127.0.0.1', () =>
  console.log(`The shop takes webhooks at http://127.0.0.1:${server.address().port}/webhooks`),
)
