/** The smallest shop: it shows a buyer who comes back where they are, and redirects when it is asked to. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export async function openShop() {
  const server = createServer(({ url = '' }, response) => {
    if (url.startsWith('/leads-on')) return response.writeHead(302, { location: '/arrived' }).end()
    return response.writeHead(200, { 'content-type': 'text/html' }).end(`<title>Shop</title><h1>${url}</h1>`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, close: () => server.close() }
}
