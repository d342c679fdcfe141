/**
 * `paysim/testcontainers`: the image as a container for testcontainers, an optional peer dependency that only this file imports.
 * Under `paysim gauntlet` no container starts; the tests get the gauntlet's simulator. A container with production or a network
 * does start, because the run has neither.
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
import type { DelayOption } from '../../spec/contract/resources/timed.ts'
import type { Environment } from '../../spec/environments/environment.ts'
import { connect, type RemoteSimulator } from '../../tester/control/client.ts'
import { sandboxOfRun } from '../gauntlet/run-folder.ts'

const PORT = 4100
const PRODUCTION_PORT = 4101
/** Where files are copied to, in its own folder, because `withScenario` may be called several times. */
const FOLDER = '/paysim'

/** The URL of an environment, and the key and secret of its sandbox `default`. */
interface Address {
  url: string
  apiKey: string
  signingSecret: string
  control: RemoteSimulator
}

/** A method for the delay of each timed move. */
type DelayMethods = Record<`with${Capitalize<DelayOption>}`, (time: number | string) => GenericContainer>

/**
 * A paysim container that is ready when its HEALTHCHECK passes. For options without a method, use `withEnvironment` and the
 * variable: `withEnvironment({ PAYSIM_REQUIRE_APPROVAL: 'true' })`.
 */
export class PaysimContainer extends GenericContainer implements DelayMethods {
  /** Default image: the one built by `docker build -t paysim .`. */
  constructor(image = 'paysim') {
    super(image)
    this.withExposedPorts(PORT).withWaitStrategy(Wait.forHealthCheck())
  }

  /** Also serve a simulated production environment. */
  withProduction(): this {
    return this.withExposedPorts(PRODUCTION_PORT).#withVariable('PRODUCTION', true)
  }

  /** Requests per minute for each IP, or `off`. */
  withRateLimit(limit: number | 'off'): this {
    return this.#withVariable('RATE_LIMIT', limit)
  }

  /** How long a refund stays pending: milliseconds, or a duration such as `2d`. */
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

  /**
   * Where webhooks are sent. A port of this machine, opened by `TestContainers.exposeHostPorts`, is at
   * `host.testcontainers.internal`.
   */
  withWebhookUrl(url: string): this {
    return this.#withVariable('WEBHOOK_URL', url)
  }

  /** The bearer token that `/_sim` requires; `control` sends it. */
  withAdminToken(token: string): this {
    return this.#withVariable('ADMIN_TOKEN', token)
  }

  /** Initial data for staging: a file, or the bundled `demo`. */
  withFixture(fixture: string): this {
    return fixture === 'demo' ? this.#withVariable('FIXTURE', fixture) : this.#withFile('FIXTURE', fixture)
  }

  /** A file that corrects paysim's assumptions about the service. */
  withProfile(file: string): this {
    return this.#withFile('PROFILE', file)
  }

  /** Arm the behaviors of this file, or of all files in a folder. */
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

/** A running paysim container. Key and secret are those of the sandbox `default`. */
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

  /** The simulator as returned by `connect` of `paysim/control`: creates and controls sandboxes. */
  getControl(environment: Environment = 'staging'): RemoteSimulator {
    return this.#at(environment).control
  }

  #at(environment: Environment): Address {
    const address = this.#addresses[environment]
    if (!address)
      throw new Error(`The container does not serve ${environment}. Call withProduction() before it starts`)
    return address
  }
}

/** Replaces a container: the gauntlet's simulator outlives the test, and has no container to inspect. */
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
    throw new Error(`${name} needs a container, but a gauntlet run uses its own simulator instead`)
  }
  return new Proxy(known as StartedTestContainer, {
    get: (_, name) => known[name as keyof typeof known] ?? refused(String(name)),
  })
}
