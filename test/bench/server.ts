/** A server in a process of its own: the built command, or the bare one that it is compared with. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

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
  /** Ends it on the spot, or as a user would. */
  stop(signal?: NodeJS.Signals): Promise<void>
}

/** The command as its users have it, without what would limit or log each request. */
export function startPaysim(...flags: string[]): Promise<Server> {
  const always = ['--port', '0', '--rate-limit', 'off', '--log', 'silent']
  return start(join(root, 'dist/main.js'), ['start', ...always, ...flags])
}

export function startBare(status: number, body: string): Promise<Server> {
  return start(join(import.meta.dirname, 'bare-server.js'), [JSON.stringify([status, body])])
}

async function start(file: string, args: string[]): Promise<Server> {
  const child = spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  running.add(child)
  for await (const line of createInterface(child.stdout)) {
    const url = /http:\/\/[\w.]+:\d+/.exec(line)?.[0]
    if (!url) continue
    child.stdout.resume()
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
      stop: async (signal = 'SIGKILL') => {
        running.delete(child)
        child.kill(signal)
        await once(child, 'exit')
      },
    }
  }
  throw new Error(`${file} ended without saying where it serves`)
}

/** Linux counts the time of a process in hundredths of a second; elsewhere there is no number without a tool. */
function cpuMs(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
    return (Number(fields[11]) + Number(fields[12])) * 10
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
