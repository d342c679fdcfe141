/**
 * `paysim/vitest`: a fresh sandbox for each test. Where a test fails, it is told what the sandbox saw and why it
 * answered so.
 */
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import type { NewSandbox, SandboxControl } from './control/control.ts'
import { createSimulator, type Simulator } from './simulator.ts'

export type TestSandbox = SandboxControl & {
  /** Where the simulator listens. The API key says which sandbox is meant. */
  readonly url: string
}

/**
 * Call it at the top of a file or a suite. What it returns stands for the sandbox of the test that is running, which
 * starts with these options and is gone when the test is over.
 */
export function useSandbox(options: Omit<NewSandbox, 'name' | 'ttl'> = {}): TestSandbox {
  let simulator: Simulator
  let url = ''
  let current: { test: string; sandbox: SandboxControl } | undefined

  beforeAll(async () => {
    simulator = createSimulator()
    url = (await simulator.listen()).url
  })

  beforeEach(({ task }) => {
    if (current) throw new Error('One sandbox serves one test at a time, so not those of test.concurrent.')
    strangers(simulator).clearRequests()
    current = { test: task.id, sandbox: simulator.create(options) }
  })

  afterEach(({ task }) => {
    if (current?.test !== task.id) return
    const { sandbox } = current
    current = undefined
    if (task.result?.state === 'fail') console.error(whatItSaw(task.name, sandbox, strangers(simulator)))
    simulator.remove(sandbox.name)
  })

  afterAll(() => simulator.close())

  const present = (): TestSandbox => {
    if (!current) throw new Error('A sandbox is there only while a test runs.')
    return Object.assign(Object.create(current.sandbox), { url })
  }
  return new Proxy({} as TestSandbox, {
    get: (_, name) => Reflect.get(present(), name),
    has: (_, name) => Reflect.has(present(), name),
  })
}

/** A request with a key that nobody has is journaled in `default`, which no test uses. */
const strangers = (simulator: Simulator): SandboxControl => simulator.sandbox('default')

function whatItSaw(test: string, sandbox: SandboxControl, others: SandboxControl): string {
  const parts = [`What the sandbox of "${test}" saw:`, sandbox.explain()]
  if (others.requests().length > 0) {
    parts.push('What came with an API key that no sandbox has:', others.explain())
  }
  return parts.join('\n\n')
}
