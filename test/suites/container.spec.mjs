/** In the gauntlet, its simulator replaces the container: the tests use its sandbox, and one that they create. */
import { PaysimContainer } from 'paysim/testcontainers'
import { clientOf } from './client.mjs'

const paysim = await new PaysimContainer().start()
const url = paysim.getUrl()
const shop = await paysim.getControl().create()
await clientOf({ url, apiKey: paysim.getApiKey() }).sell('order-1', 100)
await clientOf({ url, apiKey: shop.apiKey }).sell('order-2', 50)
await paysim.getControl().remove(shop.name)
await paysim.stop()
