/** A receiver that is started here, so that it can be killed and started again: what it kept in memory is gone then. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { sleep } from '../../spec/world/clock.ts'
import { OWN_GROUP, signalGroup } from '../gauntlet/child.ts'
import { requireListener } from './post.ts'

export interface StartSetup {
  /** A command line for the shell. */
  command: string
  /** The URL at which it then listens. */
  url: URL
  env: Readonly<Record<string, string | undefined>>
}

const WITHIN_MS = 60_000
const AGAIN_AFTER_MS = 50

export class StartedReceiver {
  readonly #setup: StartSetup
  #child: ChildProcess | undefined

  constructor(setup: StartSetup) {
    this.#setup = setup
  }

  /** Resolves once it listens. */
  async start(): Promise<void> {
    const { command, url, env } = this.#setup
    if (await isListening(url)) {
      throw new Error(`Something listens at ${url.host} already; --start starts the receiver itself.`)
    }
    // What it prints goes to stderr, beside the results. A group of its own, as npm and shells start others.
    const child = spawn(command, {
      shell: true,
      stdio: ['ignore', 2, 2],
      env: { ...env },
      ...OWN_GROUP,
    })
    this.#child = child
    await until(async () => {
      if (await isListening(url)) return true
      if (child.exitCode !== null || child.signalCode !== null) {
        const how = child.signalCode ?? `exit code ${child.exitCode}`
        throw new Error(`The command of --start ended (${how}) before it listened at ${url.host}.`)
      }
      return false
    }, `The command of --start does not listen at ${url.host}.`)
  }

  /** Kills it without a warning, as a crash would, and starts it again. */
  async restart(): Promise<void> {
    const { url } = this.#setup
    await this.kill()
    // The shell is gone then; what it had started may need a moment more.
    await until(async () => !(await isListening(url)), `What --start started still listens at ${url.host}.`)
    await this.start()
  }

  async kill(): Promise<void> {
    const child = this.#child
    this.#child = undefined
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    signalGroup(child, 'SIGKILL')
    await ended
  }
}

async function until(holds: () => Promise<boolean>, otherwise: string): Promise<void> {
  for (let waited = 0; !(await holds()); waited += AGAIN_AFTER_MS) {
    if (waited > WITHIN_MS) throw new Error(otherwise)
    await sleep(AGAIN_AFTER_MS)
  }
}

const isListening = (url: URL): Promise<boolean> =>
  requireListener(url).then(
    () => true,
    () => false,
  )
