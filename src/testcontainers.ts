/**
 * `paysim/testcontainers`: starts the image for a test, and waits for its HEALTHCHECK.
 *
 * `testcontainers` is an optional peer dependency, loaded when a container is started. It needs a newer Node than paysim
 * does, so it is no dev dependency either, and the part that is used is typed here.
 *
 * In tests that `paysim gauntlet` runs, no container is started but for production: they get the gauntlet's simulator.
 */
import { connect, type RemoteSimulator } from './control-client.ts'
import { sandboxOfRun } from './tools/gauntlet/run-of-this-process.ts'

export interface PaysimContainerOptions {
  /** Its name and tag. */
  image?: string | undefined
  /** The options of `paysim start`, as environment variables. */
  environment?: Record<string, string> | undefined
  /** Serve a simulation of production, too. */
  production?: boolean | undefined
}

/** One environment of the container. */
export interface PaysimAddress {
  readonly url: string
  /** Of the sandbox `default`, as is the signing secret. */
  readonly apiKey: string
  readonly signingSecret: string
  readonly control: RemoteSimulator
}

export interface PaysimContainer extends PaysimAddress {
  /** Only where it was asked for. */
  readonly production?: PaysimAddress
  stop(): Promise<void>
}

const PEER = 'testcontainers'
const PORT = 4100
const PRODUCTION_PORT = 4101

/** The part of `testcontainers` that is used. */
export interface Testcontainers {
  GenericContainer: new (image: string) => Container
  Wait: { forHealthCheck(): unknown }
}

interface Container {
  withExposedPorts(...ports: number[]): Container
  withEnvironment(environment: Record<string, string>): Container
  withWaitStrategy(strategy: unknown): Container
  start(): Promise<StartedContainer>
}

interface StartedContainer {
  getHost(): string
  getMappedPort(port: number): number
  stop(): Promise<unknown>
}

export function startPaysim(
  options: PaysimContainerOptions & { production: true },
): Promise<Required<PaysimContainer>>
export function startPaysim(options?: PaysimContainerOptions): Promise<PaysimContainer>
export async function startPaysim({
  image = 'paysim',
  environment = {},
  production = false,
}: PaysimContainerOptions = {}): Promise<PaysimContainer> {
  const ofRun = production ? undefined : sandboxOfRun()
  if (ofRun) return { ...ofRun, control: connect(ofRun.url), stop: async () => {} }
  const { GenericContainer, Wait }: Testcontainers = await import(PEER)
  const container = await new GenericContainer(image)
    .withExposedPorts(...(production ? [PORT, PRODUCTION_PORT] : [PORT]))
    .withEnvironment({ ...environment, ...(production && { PAYSIM_PRODUCTION: 'true' }) })
    .withWaitStrategy(Wait.forHealthCheck())
    .start()
  const addressAt = async (port: number): Promise<PaysimAddress> => {
    const url = `http://${container.getHost()}:${container.getMappedPort(port)}`
    const control = connect(url, { adminToken: environment.PAYSIM_ADMIN_TOKEN })
    const { apiKey, signingSecret } = await control.find('default')
    return { url, apiKey, signingSecret, control }
  }
  return {
    ...(await addressAt(PORT)),
    ...(production && { production: await addressAt(PRODUCTION_PORT) }),
    stop: async () => void (await container.stop()),
  }
}
