/** The app of `--app` in one run. A crash kills it and starts it again, and the tests stand still meanwhile. */
import type { ChildProcess } from 'node:child_process'
import type { CrashableClient } from '../../sandbox/behaviors/faults/fault.ts'
import { type AppSetup, appOf, type StartedApp, signalGroup } from '../processes.ts'

export class CrashingApp implements CrashableClient {
  #app: StartedApp | undefined
  #tests: ChildProcess | undefined
  #crash: Promise<void> | undefined
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

  /** Resolves when the app is ready again. Requests that came together die in the same crash. */
  async crash(): Promise<void> {
    if (!this.#app || !this.#tests || this.failure !== undefined) return
    this.#crash ??= this.#crashOnce(this.#app, this.#tests).finally(() => {
      this.#crash = undefined
    })
    await this.#crash
  }

  async ready(): Promise<void> {
    await this.#crash
  }

  async kill(): Promise<void> {
    const app = this.#app
    this.#app = undefined
    await this.#crash
    await app?.kill()
  }

  /** Stopped, the tests cannot find that nothing listens between the two lives of the app. */
  async #crashOnce(app: StartedApp, tests: ChildProcess): Promise<void> {
    this.crashes += 1
    signalGroup(tests, 'SIGSTOP')
    try {
      await app.restart()
    } catch (cause) {
      this.failure = `after a crash: ${(cause as Error).message}`
    } finally {
      signalGroup(tests, 'SIGCONT')
    }
  }
}
