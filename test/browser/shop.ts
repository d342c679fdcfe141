/** A minimal shop: it shows the path of the returning buyer, and redirects on request. */
import { openServer } from '../served.ts'

export const openShop = () =>
  openServer(({ url = '' }, response) => {
    if (url.startsWith('/leads-on')) return response.writeHead(302, { location: '/arrived' }).end()
    return response.writeHead(200, { 'content-type': 'text/html' }).end(`<title>Shop</title><h1>${url}</h1>`)
  })
