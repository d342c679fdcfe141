/** What a container beside the tests would be is the gauntlet's simulator: its own sandbox, and one that the test makes. */
import { startPaysim } from 'paysim/testcontainers'
import { clientOf } from './client.mjs'

const paysim = await startPaysim()
const shop = await paysim.control.create()
await clientOf(paysim).sell('order-1', 100)
await clientOf({ url: paysim.url, apiKey: shop.apiKey }).sell('order-2', 50)
await paysim.control.remove(shop.name)
await paysim.stop()
