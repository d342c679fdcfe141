/** Child processes in their own process group, and an app that can be killed and restarted to clear its memory. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { socketHost } from '../spec/node-http.ts'
import { UsageError } from '../spec/options/read.ts'
import { sleep } from '../spec/world/clock.ts'

export const IS_WINDOWS = process.platform === 'win32'

/** For `spawn`. Windows has no process groups, so the process tree is ended there. */
export const OWN_GROUP = { detached: !IS_WINDOWS } as const

/**
 * Signals a command and everything that it started: npm starts a shell, which starts the tests. The group may have ended already.
 */
export function signalGroup(child: ChildProcess, name: 'SIGTERM' | 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void {
  if (child.pid === undefined) return
  if (IS_WINDOWS && /STOP|CONT/.test(name)) return
  // Killing the child would end only its shell.
  if (IS_WINDOWS) return void spawnSync('taskkill', ['/pid', String(child.pid), '/T', '/F'])
  try {
    process.kill(-child.pid, name)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ESRCH') throw cause
  }
}

export interface AppSetup {
  /** The option with the command, for messages. */
  option: string
  /** A command line for the shell. */
  command: string
  /** The URL at which it then listens. */
  url: URL
  /** Whether it must also respond to a GET there, with a status below 500. */
  mustAnswer?: boolean
  env: Readonly<Record<string, string | undefined>>
  /** The file descriptor for its output. Default: stderr of this process, to keep stdout for results. */
  output?: number | undefined
}

const WITHIN_MS = 60_000
const AGAIN_AFTER_MS = 50

export type StartedApp = ReturnType<typeof appOf>

export function appOf({ option, command, url, mustAnswer, env, output = 2 }: AppSetup) {
  let child: ChildProcess | undefined

  /** Resolves when it is ready. */
  async function start(): Promise<void> {
    if (await isListening(url)) {
      throw new UsageError(`${url.host} is already in use, but the command of ${option} must listen there.`)
    }
    const started = spawn(command, {
      shell: true,
      stdio: ['ignore', output, output],
      env: { ...env },
      // Its own group, because npm and shells start further processes.
      ...OWN_GROUP,
    })
    child = started
    await until(
      async () => {
        if ((await isListening(url)) && (!mustAnswer || (await answers(url)))) return true
        if (hasEnded(started)) {
          const how = started.signalCode ?? `exit code ${started.exitCode}`
          throw new UsageError(`The command of ${option} ended (${how}) before it listened at ${url.host}.`)
        }
        return false
      },
      `The command of ${option} does not ${mustAnswer ? `respond at ${url.href}` : `listen at ${url.host}`}.`,
    )
  }

  /** Kills it without warning. Resolves when nothing listens at its URL. */
  async function crash(): Promise<void> {
    await kill()
    // The shell has exited, but the processes it started may need a moment.
    await until(
      async () => !(await isListening(url)),
      `The app that ${option} started did not stop: ${url.host} is still in use.`,
    )
  }

  async function kill(): Promise<void> {
    const killed = child
    child = undefined
    if (killed?.pid === undefined || hasEnded(killed)) return
    const ended = once(killed, 'exit')
    signalGroup(killed, 'SIGKILL')
    await ended
  }

  return { start, crash, kill }
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null

async function until(holds: () => Promise<boolean>, otherwise: string): Promise<void> {
  for (let waited = 0; !(await holds()); waited += AGAIN_AFTER_MS) {
    if (waited > WITHIN_MS) throw new UsageError(otherwise)
    await sleep(AGAIN_AFTER_MS)
  }
}

/** Throws if nothing listens there, rather than letting every request fail. */
export async function requireListener({ protocol, hostname, port }: URL): Promise<void> {
  const host = socketHost(hostname)
  const socket = connect({ host, port: Number(port || (protocol === 'https:' ? 443 : 80)) })
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(CONNECT_TIMEOUT_MS) })
  } catch (cause) {
    throw new UsageError(`Nothing is listening at ${host}: ${(cause as Error).message}.`)
  } finally {
    socket.destroy()
  }
}

const CONNECT_TIMEOUT_MS = 10_000

const isListening = (url: URL): Promise<boolean> =>
  requireListener(url).then(
    () => true,
    () => false,
  )

const ANSWER_WITHIN_MS = 5_000

const answers = (url: URL): Promise<boolean> =>
  fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(ANSWER_WITHIN_MS) }).then(
    async (response) => {
      await response.body?.cancel()
      return response.status < 500
    },
    () => false,
  )
