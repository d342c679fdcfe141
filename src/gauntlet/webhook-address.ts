/** Where a run's webhooks go. Runs at the same time need different ports, as each has a receiver of its own. */
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

export const DEFAULT_WEBHOOK_URL = 'http://127.0.0.1:{port}/webhooks'

export const hasPort = (template: string): boolean => template.includes('{port}')

export interface WebhookAddress {
  url: string
  port: string
}

/** `{port}` becomes a port that is free now. */
export async function webhookAddress(template: string): Promise<WebhookAddress> {
  const url = hasPort(template) ? template.replaceAll('{port}', String(await freePort())) : template
  return { url, port: new URL(url).port }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
