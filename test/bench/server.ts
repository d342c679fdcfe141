/** A server in a process of its own: the built command, or one of those that it is compared with. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

const root = join(import.meta.dirname, '../../..')

// A bench that breaks off leaves nothing behind.
const running = new Set<ChildProcess>()
process.once('exit', () => running.forEach((child) => void child.kill('SIGKILL')))

export interface Server {
  url: string
  /** The CPU time that the process has used so far. */
  cpuMs(): number
  /** The memory that the process holds now. */
  memoryMb(): number
  /** The most that it held since the last call. */
  peakMb(): number
  /** How many files and connections it has open. */
  descriptors(): number
  /** Keeps it to these cores, such as `0` or `1-3`. */
  pin(cores: string): void
  /** Ends it on the spot, or as a user would. */
  stop(signal?: NodeJS.Signals): Promise<void>
}

/** The command as its users have it, without what would limit or log each request. */
export function startPaysim(...flags: string[]): Promise<Server> {
  return startPaysimLogging('silent', 'inherit', ...flags)
}

/** The same with its default log in a file. */
export function startPaysimLoggingTo(file: string): Promise<Server> {
  return startPaysimLogging('json', openSync(file, 'w'))
}

function startPaysimLogging(log: string, stderr: 'inherit' | number, ...flags: string[]): Promise<Server> {
  const always = ['start', '--port', '0', '--rate-limit', 'off', '--log', log]
  return start(process.execPath, [join(root, 'dist/main.js'), ...always, ...flags], SERVES, stderr)
}

/** What all is compared with: servers that read the request and answer a constant. */
export type Floor = 'node' | 'hono'

export function startFloor(floor: Floor, status: number, body: string): Promise<Server> {
  const file = join(import.meta.dirname, `bare-${floor}.js`)
  return start(process.execPath, [file, JSON.stringify([status, body])])
}

const SERVES = /http:\/\/[\w.]+:(\d+)/

/** `says` finds the port in the line that says that it serves. */
export async function start(
  command: string,
  args: string[],
  says = SERVES,
  stderr: 'inherit' | 'ignore' | number = 'inherit',
): Promise<Server> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', stderr] }) as ChildProcess & {
    stdout: Readable
  }
  running.add(child)
  for await (const line of createInterface(child.stdout)) {
    const port = says.exec(line)?.[1]
    if (!port) continue
    child.stdout.resume()
    return measured(child, `http://127.0.0.1:${port}`)
  }
  throw new Error(`${command} ${args.join(' ')} ended without saying where it serves`)
}

/** What was started, with what the system counts of it. */
export function measured(child: ChildProcess, url: string): Server {
  return {
    url,
    cpuMs: () => cpuMs(child.pid!),
    memoryMb: () => memoryMb(child.pid!, 'VmRSS'),
    peakMb: () => {
      const peak = memoryMb(child.pid!, 'VmHWM')
      writeFileSync(`/proc/${child.pid}/clear_refs`, '5')
      return peak
    },
    descriptors: () => readdirSync(`/proc/${child.pid}/fd`).length,
    pin: (cores) => pin(child, cores),
    stop: async (signal = 'SIGKILL') => {
      running.delete(child)
      child.kill(signal)
      await once(child, 'exit')
    },
  }
}

/** By taskset, which Linux has; elsewhere all share the cores, and the figures are less steady. */
export function pin({ pid }: ChildProcess, cores: string): void {
  try {
    execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', cores, String(pid)], { stdio: 'ignore' })
  } catch {}
}

/**
 * Linux counts the time of a process in hundredths of a second; elsewhere there is no number without a tool. A proxy's
 * work is done by children of the process that was started.
 */
function cpuMs(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').match(/\d+/g) ?? []
    return children.reduce(
      (sum, child) => sum + cpuMs(Number(child)),
      (Number(fields[11]) + Number(fields[12])) * 10,
    )
  } catch {
    return Number.NaN
  }
}

/** Known on Linux alone, for the same reason. */
function memoryMb(pid: number, what: 'VmRSS' | 'VmHWM'): number {
  try {
    return Math.round(
      Number(
        new RegExp(`^${what}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1],
      ) / 1024,
    )
  } catch {
    return Number.NaN
  }
}
