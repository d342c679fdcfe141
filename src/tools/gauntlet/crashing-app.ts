/** The app of `--app` in one run. A crash kills it and starts it again, and the tests stand still meanwhile. */
import type { ChildProcess } from 'node:child_process'
import type { CrashableClient } from '../../sandbox/behaviors/faults/fault.ts'
import { type AppSetup, appOf, type StartedApp, signalGroup } from '../processes.ts'

export class CrashingApp implements CrashableClient {
  #app: StartedApp | undefined
  #tests: ChildProcess | undefined
  #crash: { killed: Promise<void>; ready: Promise<void> } | undefined
  /** Why the app did not start again, in words. The tests cannot pass then. */
  failure: string | undefined
  crashes = 0

  async start(setup: AppSetup): Promise<void> {
    this.#app = appOf(setup)
    await this.#app.start()
  }

  /** From now on it may crash: what it sends before the tests begin is its start. */
  crashUnder(tests: ChildProcess): void {
    this.#tests = tests
  }

  /**
   * Resolves once the app is killed, so that its request ends: an app may retry it before it listens again, and would get the 409
   * of a key in flight. Concurrent requests share one crash.
   */
  async crash(): Promise<void> {
    if (!this.#app || !this.#tests || this.failure !== undefined) return
    this.#crash ??= this.#crashOnce(this.#app, this.#tests)
    // If it cannot be killed, the run fails, not the request.
    await this.#crash.killed.catch(() => {})
  }

  async ready(): Promise<void> {
    await this.#crash?.ready
  }

  async kill(): Promise<void> {
    const app = this.#app
    this.#app = undefined
    await this.ready()
    await app?.kill()
  }

  /** Stopped, the tests cannot find that nothing listens between the two lives of the app. */
  #crashOnce(app: StartedApp, tests: ChildProcess) {
    this.crashes += 1
    signalGroup(tests, 'SIGSTOP')
    const killed = app.crash()
    const ready = killed
      .then(() => app.start())
      .catch((cause: Error) => {
        this.failure = `after a crash: ${cause.message}`
      })
      .finally(() => {
        this.#crash = undefined
        signalGroup(tests, 'SIGCONT')
      })
    return { killed, ready }
  }
}
