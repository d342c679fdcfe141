/** The built command in its own process: tests can call, stop and kill it. */
import { type ChildProcess, type ChildProcessByStdio, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import type { SimulatorOptions } from '../../src/spec/options/simulator.ts'
import { createSimulator } from '../../src/tools/compose.ts'

/** The result of `npm run build`. */
export const COMMAND = fileURLToPath(new URL('../../dist/main.js', import.meta.url))

const ONE_AFTER_ANOTHER = fileURLToPath(new URL('one-after-another.mjs', import.meta.url))

export interface Exit {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

/** The working directory, and the copy of the command to run (default: the one built here). */
export interface Place {
  command?: string
  cwd?: string
  /** The limit of open files and connections. */
  descriptors?: number
}

/** Runs `paysim` with these arguments and returns its output. */
export function spawnPaysim(
  args: readonly string[],
  environment: Record<string, string> = {},
  { command = COMMAND, cwd = process.cwd(), descriptors }: Place = {},
) {
  const line = [process.execPath, command, ...args]
  const limited = ['bash', '-c', `ulimit -n ${descriptors} && exec "$@"`, 'bash', ...line]
  const [program, ...rest] = descriptors === undefined ? line : limited
  const child = spawn(program!, rest, {
    cwd,
    // Otherwise, a scenario that a test runs would write to the summary of the CI job.
    env: { ...process.env, GITHUB_ACTIONS: '', GITHUB_STEP_SUMMARY: '', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return outputOf(child)
}

/** Collects the output of a process and its exit; kills it at the end of the test. */
export function outputOf(child: ChildProcessByStdio<null, Readable, Readable>) {
  const said = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      said[stream] += text
    })
  }
  const exited = once(child, 'close').then(([code, signal]): Exit => ({ code, signal, ...said }))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await exited
  })
  return { child, said, exited }
}

/** Resolves once the process has printed the text; rejects with the output if the process exits first. */
export function saying(
  { child, said, exited }: ReturnType<typeof outputOf>,
  words: string | RegExp,
): Promise<void> {
  const has = (text: string) => (typeof words === 'string' ? text.includes(words) : words.test(text))
  const isSaid = new Promise<void>((resolve) => {
    const look = () => has(said.stdout) && resolve()
    child.stdout.on('data', look)
    look()
  })
  const ended = exited.then(({ code, stdout, stderr }) => {
    if (!has(stdout)) throw new Error(`ended with ${code} before it said ${words}: ${stdout}${stderr}`)
  })
  return Promise.race([isSaid, ended])
}

type End = Omit<Exit, 'signal'>

/** The process of `runPaysim`, if it is running, and its current line. */
let runner: ChildProcess | undefined
let running: { resolve(end: End): void; reject(why: Error): void } | undefined
let last: Promise<unknown> = Promise.resolve()

/**
 * Runs a command line that exits on its own, in a process that is shared with other lines: that halves the work of a process for
 * each. For signals, a closed output, or anything that a shared process would affect, use {@link spawnPaysim}.
 */
export function runPaysim(
  args: readonly string[],
  variables: Record<string, string> = {},
  folder = process.cwd(),
): Promise<End> {
  const end = last.then(async () => {
    runner ??= startRunner()
    runner.send({ args, variables, folder })
    return new Promise<End>((resolve, reject) => {
      running = { resolve, reject }
    })
  })
  last = end.catch(() => {})
  onTestFinished(() => {
    // The line hangs, so give the next one a new process.
    if (running) runner?.kill('SIGKILL')
  })
  return end
}

function startRunner(): ChildProcess {
  const unset = ['GITHUB_ACTIONS', 'GITHUB_STEP_SUMMARY', 'FORCE_COLOR', 'NO_COLOR']
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !unset.includes(name)))
  const child = fork(ONE_AFTER_ANOTHER, [COMMAND], { env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  // Exits with this process, and does not keep it alive.
  child.unref()
  child.channel?.unref()
  child.on('message', (end: End) => {
    running?.resolve(end)
    running = undefined
  })
  child.on('exit', (code, signal) => {
    runner = undefined
    running?.reject(new Error(`a line ended the process that runs them: ${code ?? signal}`))
    running = undefined
  })
  return child
}

/** Runs `paysim start` on a free port; resolves once it serves. */
export async function startPaysim(
  args: readonly string[] = [],
  environment: Record<string, string> = {},
  place: Place = {},
) {
  const { child, said, exited } = spawnPaysim(
    ['start', '--port', '0', '--log', 'silent', ...args],
    environment,
    place,
  )
  const url = await Promise.race([serving(child, said), exited.then(refused)])

  const end = (signal: NodeJS.Signals) => {
    child.kill(signal)
    return exited
  }
  return {
    url,
    child,
    said,
    exited,
    end,
    /** Asks the process to stop; returns its exit code and output. */
    stop: () => end('SIGTERM'),
    /** Kills it immediately, like a crash. */
    kill: () => end('SIGKILL'),
    /** Resolves once a request is waiting at the gate. */
    async held(gate: string): Promise<void> {
      const { status, text } = await call(url, 'GET', `/_sim/gates/${gate}?within=1m`)
      if (status !== 200) throw new Error(text)
    },
    call: callerAt(url),
  }
}

/** A simulator in this process, for commands that only need one as a target; `create` is the copy of paysim that makes it. */
export async function servedPaysim(options: SimulatorOptions = {}, create = createSimulator) {
  const simulator = create({ log: 'silent', ...options })
  onTestFinished(() => simulator.close())
  const { url } = await simulator.listen()
  return { url, call: callerAt(url), stop: () => simulator.close() }
}

function serving({ stdout }: ChildProcess, said: { stdout: string }): Promise<string> {
  return new Promise((resolve) => {
    stdout!.on('data', () => {
      const url = /https?:\/\/\S+(?=\s)/.exec(said.stdout)?.[0]
      if (url) resolve(url)
    })
  })
}

function refused({ code, stderr }: Exit): never {
  throw new Error(`paysim ended with ${code}: ${stderr}`)
}

type Headers = Record<string, string>

const callerAt =
  (url: string) => (method: 'GET' | 'POST', path: string, body?: unknown, key?: string, headers?: Headers) =>
    call(url, method, path, body, key, headers)

/** Sends a request, by default with the key of the sandbox `default`. */
export async function call(
  base: string,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: unknown,
  key?: string,
  headers: Headers = {},
) {
  const response = await fetch(`${base}${path}`, {
    method,
    headers: {
      'x-api-key': 'sk_staging_default',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(key !== undefined && { 'idempotency-key': key }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, body: text && JSON.parse(text) }
}
