/**
 * `paysim/vitest`: a fresh sandbox for each test. Where a test fails, it is told what the sandbox saw and why it
 * answered so.
 */
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import type { NewSandbox, SandboxControl } from './control/control.ts'
import type { RemoteSandbox } from './control-client.ts'

interface Addressed {
  /** Where the simulator listens. The API key says which sandbox is meant. */
  readonly url: string
}

export type TestSandbox = SandboxControl & Addressed
export type RemoteTestSandbox = RemoteSandbox & Addressed

type Options = Omit<NewSandbox, 'name' | 'ttl'>

/** A simulator that runs already, such as a container beside the tests. */
export interface Running {
  url: string
  adminToken?: string | undefined
}

/**
 * Call it at the top of a file or a suite. What it returns stands for the sandbox of the test that is running, which
 * starts with these options and is gone when the test is over. With the `url` of a simulator that runs already, the sandbox
 * is made there, and everything it does is waited for.
 */
export function useSandbox(options: Options & Running): RemoteTestSandbox
export function useSandbox(options?: Options): TestSandbox
export function useSandbox(options: Options & Partial<Running> = {}): TestSandbox | RemoteTestSandbox {
  const { url, adminToken, ...own } = options
  return url === undefined
    ? standIn(() => openOwn(own))
    : standIn(() => openRunning({ url, adminToken }, own))
}

/** Where sandboxes are made. */
interface Home<Box> {
  url: string
  create(): Box | Promise<Box>
  remove(name: string): unknown
  /** What came with a key that no sandbox has, in words; nothing where that may have been anybody. */
  strangers(): string | undefined
  close(): unknown
}

async function openOwn(options: Options): Promise<Home<SandboxControl>> {
  const { createSimulator } = await import('./simulator.ts')
  const simulator = createSimulator()
  const { url } = await simulator.listen()
  // A request with a key that nobody has is journaled in `default`, which no test uses.
  const nobody = simulator.sandbox('default')
  return {
    url,
    create() {
      nobody.clearRequests()
      return simulator.create(options)
    },
    remove: (name) => simulator.remove(name),
    strangers: () => (nobody.requests().length === 0 ? undefined : nobody.explain()),
    close: () => simulator.close(),
  }
}

/** Whatever a test run leaves behind there, because it was killed, goes by itself. */
const TTL = '1h'

async function openRunning({ url, adminToken }: Running, options: Options): Promise<Home<RemoteSandbox>> {
  const { connect } = await import('./control-client.ts')
  const simulator = connect(url, { adminToken })
  return {
    url,
    create: () => simulator.create({ ...options, ttl: TTL }),
    remove: (name) => simulator.remove(name),
    strangers: () => undefined,
    close: () => {},
  }
}

interface Box {
  readonly name: string
  explain(): string | Promise<string>
}

function standIn<Kind extends Box>(open: () => Promise<Home<Kind>>): Kind & Addressed {
  let home: Home<Kind>
  let running: string | undefined
  let current: Kind | undefined

  beforeAll(async () => {
    home = await open()
  })

  beforeEach(async ({ task }) => {
    if (running) throw new Error('One sandbox serves one test at a time, so not those of test.concurrent.')
    running = task.id
    current = await home.create()
  })

  afterEach(async ({ task }) => {
    if (running !== task.id) return
    const sandbox = current
    running = undefined
    current = undefined
    if (!sandbox) return
    if (task.result?.state === 'fail') {
      const saw = [`What the sandbox of "${task.name}" saw:`, await sandbox.explain()]
      const strangers = home.strangers()
      if (strangers) saw.push('What came with an API key that no sandbox has:', strangers)
      console.error(saw.join('\n\n'))
    }
    await home.remove(sandbox.name)
  })

  afterAll(() => home.close())

  const present = (): Kind & Addressed => {
    if (!current) throw new Error('A sandbox is there only while a test runs.')
    return Object.assign(Object.create(current), { url: home.url })
  }
  return new Proxy({} as Kind & Addressed, {
    get: (_, name) => Reflect.get(present(), name),
    has: (_, name) => Reflect.has(present(), name),
  })
}
