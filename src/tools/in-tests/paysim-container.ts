/**
 * `paysim/testcontainers`: the image as a container of testcontainers, an optional peer dependency that only this file imports.
 *
 * In tests that `paysim gauntlet` runs, no container is started: they get the gauntlet's simulator. A container that asks for
 * production or for a network is started there too, as the run has neither.
 */
import { statSync } from 'node:fs'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import {
  AbstractStartedContainer,
  GenericContainer,
  type StartedTestContainer,
  type StoppedTestContainer,
  Wait,
} from 'testcontainers'
import type { Environment } from '../../spec/environments/environment.ts'
import { connect, type RemoteSimulator } from '../../tester/control/client.ts'
import { sandboxOfRun } from '../gauntlet/run-folder.ts'

const PORT = 4100
const PRODUCTION_PORT = 4101
/** Where files are copied to; its own folder, as `withScenario` may be called several times. */
const FOLDER = '/paysim'

/** Where one environment is, and the key and secret of its sandbox `default`. */
interface Address {
  url: string
  apiKey: string
  signingSecret: string
  control: RemoteSimulator
}

/**
 * A container of paysim that is ready when its HEALTHCHECK says so. What has no method here, `withEnvironment` takes by its
 * variable: `withEnvironment({ PAYSIM_REQUIRE_APPROVAL: 'true' })`.
 */
export class PaysimContainer extends GenericContainer {
  /** The image is that of `docker build -t paysim .` unless its name is given. */
  constructor(image = 'paysim') {
    super(image)
    this.withExposedPorts(PORT).withWaitStrategy(Wait.forHealthCheck())
  }

  /** Serve a simulation of production, too. */
  withProduction(): this {
    return this.withExposedPorts(PRODUCTION_PORT).#withVariable('PRODUCTION', true)
  }

  /** Requests a minute for each IP, or `off`. */
  withRateLimit(limit: number | 'off'): this {
    return this.#withVariable('RATE_LIMIT', limit)
  }

  /** How long a refund stays pending: milliseconds, or such as `2d`. */
  withRefundDelay(time: number | string): this {
    return this.#withVariable('REFUND_DELAY', time)
  }

  /** `real`, `frozen`, or `frozen@2026-01-01T00:00:00Z`. */
  withClock(clock: string): this {
    return this.#withVariable('CLOCK', clock)
  }

  /** The same seed, clock and requests give the same bytes. */
  withSeed(seed: number): this {
    return this.#withVariable('SEED', seed)
  }

  /** The API key of the sandbox `default`. */
  withApiKey(key: string): this {
    return this.#withVariable('API_KEY', key)
  }

  /** The secret that signs the webhooks of the sandbox `default`. */
  withSigningSecret(secret: string): this {
    return this.#withVariable('SIGNING_SECRET', secret)
  }

  /** Where webhooks go. A port of this machine, opened by `TestContainers.exposeHostPorts`, is at `host.testcontainers.internal`. */
  withWebhookUrl(url: string): this {
    return this.#withVariable('WEBHOOK_URL', url)
  }

  /** The bearer token that `/_sim` asks for; `control` sends it. */
  withAdminToken(token: string): this {
    return this.#withVariable('ADMIN_TOKEN', token)
  }

  /** Seed data for staging: a file, or `demo`, which comes with paysim. */
  withFixture(fixture: string): this {
    return fixture === 'demo' ? this.#withVariable('FIXTURE', fixture) : this.#withFile('FIXTURE', fixture)
  }

  /** A file that says which guesses about the service are wrong. */
  withProfile(file: string): this {
    return this.#withFile('PROFILE', file)
  }

  /** Arm the behaviors of this file, or of all files of a folder. */
  withScenario(path: string): this {
    const target = `${FOLDER}/scenarios`
    this.#withVariable('SCENARIO', target)
    if (statSync(path).isDirectory()) return this.withCopyDirectoriesToContainer([{ source: path, target }])
    return this.withCopyFilesToContainer([{ source: path, target: `${target}/${basename(path)}` }])
  }

  override async start(): Promise<StartedPaysimContainer> {
    const { PAYSIM_PRODUCTION: production, PAYSIM_ADMIN_TOKEN: adminToken } = this.environment
    const ofRun = production || this.networkMode ? undefined : sandboxOfRun()
    if (ofRun) {
      const staging = { ...ofRun, control: connect(ofRun.url) }
      return new StartedPaysimContainer(simulatorAt(ofRun.url), { staging })
    }
    const started = await super.start()
    const addressAt = async (port: number): Promise<Address> => {
      const url = `http://${started.getHost()}:${started.getMappedPort(port)}`
      const control = connect(url, { adminToken })
      const { apiKey, signingSecret } = await control.find('default')
      return { url, apiKey, signingSecret, control }
    }
    return new StartedPaysimContainer(started, {
      staging: await addressAt(PORT),
      ...(production && { production: await addressAt(PRODUCTION_PORT) }),
    })
  }

  #withVariable(name: string, value: unknown): this {
    return this.withEnvironment({ [`PAYSIM_${name}`]: String(value) })
  }

  #withFile(name: string, source: string): this {
    const target = `${FOLDER}/${basename(source)}`
    return this.withCopyFilesToContainer([{ source, target }]).#withVariable(name, target)
  }
}

/** A container of paysim that serves. Key and secret are those of the sandbox `default`. */
export class StartedPaysimContainer extends AbstractStartedContainer {
  readonly #addresses: { staging: Address; production?: Address }

  /** @internal */
  constructor(started: StartedTestContainer, addresses: { staging: Address; production?: Address }) {
    super(started)
    this.#addresses = addresses
  }

  /** Such as `http://localhost:32768`, without the `/v1`. */
  getUrl(environment: Environment = 'staging'): string {
    return this.#at(environment).url
  }

  getApiKey(environment: Environment = 'staging'): string {
    return this.#at(environment).apiKey
  }

  getSigningSecret(environment: Environment = 'staging'): string {
    return this.#at(environment).signingSecret
  }

  /** What `connect` of `paysim/control` returns: makes sandboxes, and steers them. */
  getControl(environment: Environment = 'staging'): RemoteSimulator {
    return this.#at(environment).control
  }

  #at(environment: Environment): Address {
    const address = this.#addresses[environment]
    if (!address) throw new Error(`The container serves no ${environment}; withProduction() makes it do so`)
    return address
  }
}

/** Stands where a container would: the gauntlet's simulator goes on after the test, and is no container to be asked about. */
function simulatorAt(url: string): StartedTestContainer {
  const { hostname, port } = new URL(url)
  const known: Partial<StartedTestContainer> = {
    getHost: () => hostname,
    getMappedPort: () => Number(port),
    getFirstMappedPort: () => Number(port),
    logs: async () => Readable.from([]),
    restart: async () => {},
    stop: async () => known as StoppedTestContainer,
  }
  const refused = (name: string) => () => {
    throw new Error(
      `${name} is for a container, and in a run of the gauntlet its simulator stands in its place`,
    )
  }
  return new Proxy(known as StartedTestContainer, {
    get: (_, name) => known[name as keyof typeof known] ?? refused(String(name)),
  })
}
