/** Where a run's webhooks go. Runs at the same time need different ports, as each has a receiver of its own. */
import { FreePorts, GIVEN_BY_SYSTEMS_FROM } from './free-ports.ts'

export const hasPort = (template: string): boolean => template.includes('{port}')

export interface WebhookAddress {
  url: string
  port: string
  /** Frees the port for other runs. */
  release(): void
}

/** The first address that all runs share: its port is not that of the run, and too low to be one that a system gives for port 0. */
export const sharedBy = (receivers: readonly (string | null)[], ownPort: string): string | undefined =>
  receivers
    .filter((url) => url !== null)
    .find((url) => {
      const { port } = new URL(url)
      return port !== ownPort && Number(port) < GIVEN_BY_SYSTEMS_FROM
    })

const FIRST_PORT = 20_000
const PORTS = GIVEN_BY_SYSTEMS_FROM - FIRST_PORT
/** The search begins at the process id: so two gauntlets on one machine seldom try the same port. */
const ports = new FreePorts(FIRST_PORT, PORTS, process.pid)

/** `{port}` becomes a port that is free now. */
export async function webhookAddress(template: string): Promise<WebhookAddress> {
  if (!hasPort(template)) return { url: template, port: new URL(template).port, release: () => {} }
  const { port, release } = await ports.take()
  const url = template.replaceAll('{port}', String(port))
  return { url, port: new URL(url).port, release }
}
