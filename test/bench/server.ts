/** A server in its own process: the built command, or the floor as its baseline. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

/** The build of this checkout. */
export const DIST = join(import.meta.dirname, '../../../dist')

// Stop the servers with this process, so that a failed bench leaves none behind.
const running = new Set<ChildProcess>()
process.once('exit', () => running.forEach((child) => void child.kill('SIGKILL')))

/** CPU time, memory and faults are read from /proc on Linux; elsewhere they are NaN. */
export interface Server {
  url: string
  /** The CPU time that the process has used so far. */
  cpuMs(): number
  /** The memory that the process holds now. */
  memoryKb(): number
  memoryMb(): number
  /** The number of its page faults so far. */
  faults(): number
  /** The number of open files and connections. */
  descriptors(): number
  /** Stops it with SIGKILL, or with the given signal. */
  stop(signal?: NodeJS.Signals): Promise<void>
}

/** Starts the built command, without rate limit and log. */
export const startPaysim = (...flags: string[]) => startBuild(DIST, '--rate-limit', 'off', ...flags)

export const startBuild = (dist: string, ...flags: string[]): Promise<Server> =>
  start(join(dist, 'main.js'), 'start', '--port', '0', '--log', 'silent', ...flags)

export const startFloor = (...args: string[]) => start(join(import.meta.dirname, 'floor.js'), ...args)

/** The line with the address of the server. */
const SERVES = /http:\/\/[\w.]+:(\d+)/

async function start(file: string, ...args: string[]): Promise<Server> {
  const child = spawn(process.execPath, [file, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  }) as ChildProcess & { stdout: Readable }
  running.add(child)
  for await (const line of createInterface(child.stdout)) {
    const port = SERVES.exec(line)?.[1]
    if (!port) continue
    child.stdout.resume()
    return measured(child, `http://127.0.0.1:${port}`)
  }
  throw new Error(`${file} ${args.join(' ')} ended without saying where it serves`)
}

/** A started process, with its usage as counted by the system. */
export function measured(child: ChildProcess, url: string): Server {
  const pid = child.pid!
  const memoryKb = () => counted(() => Number(/^VmRSS:\s+(\d+) kB$/m.exec(ofProcess(pid, 'status'))![1]))
  return {
    url,
    cpuMs: () => counted(() => cpuMs(pid)),
    memoryKb,
    memoryMb: () => Math.round(memoryKb() / 1024),
    faults: () => counted(() => Number(ofProcess(pid, 'stat').split(') ')[1]!.split(' ')[7])),
    descriptors: () => readdirSync(`/proc/${pid}/fd`).length,
    stop: async (signal = 'SIGKILL') => {
      running.delete(child)
      child.kill(signal)
      await once(child, 'exit')
    },
  }
}

const ofProcess = (pid: number, file: string) => readFileSync(`/proc/${pid}/${file}`, 'utf8')

/** Includes all threads and child processes, because a proxy does its work in children of the started process. */
function cpuMs(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`)
  const ms = threads.map((thread) => Number(ofProcess(pid, `task/${thread}/schedstat`).split(' ')[0]) / 1e6)
  const children = ofProcess(pid, `task/${pid}/children`).match(/\d+/g) ?? []
  return [...ms, ...children.map((child) => cpuMs(Number(child)))].reduce((sum, used) => sum + used)
}

function counted(count: () => number): number {
  try {
    return count()
  } catch {
    return Number.NaN
  }
}
