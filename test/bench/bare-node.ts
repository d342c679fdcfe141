/** What all is compared with: it reads the request and answers a constant. Nothing on `node:http` can do less. */
import { createServer } from 'node:http'

const [status, body] = JSON.parse(process.argv[2]!) as [number, string]
const bytes = Buffer.from(body)
const headers = { 'content-type': 'application/json', 'content-length': bytes.length }

const server = createServer((request, response) => {
  request.resume().on('end', () => response.writeHead(status, headers).end(bytes))
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (address && typeof address === 'object') console.log(`http://127.0.0.1:${address.port}`)
})
