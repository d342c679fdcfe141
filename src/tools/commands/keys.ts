/** The keys of `paysim start` at a terminal. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { ReadStream } from 'node:tty'
import { printText } from './terminal.ts'

export interface Key {
  readonly key: string
  /** What the key does, for the list that `h` prints. */
  readonly help: string
  run(): void | Promise<void>
}

/** Ctrl+C: in raw mode the terminal sends this character instead of a signal. */
const CTRL_C = '\u0003'

export const keysText = (keys: readonly Key[]): string =>
  keys.map(({ key, help }) => `  ${key}  ${help}`).join('\n')

/** An error is printed and the keys go on: a reset fails on a full disk, and may succeed later. */
async function press(key: Key | undefined): Promise<void> {
  try {
    await key?.run()
  } catch (cause) {
    printText((cause as Error).message, process.stderr)
  }
}

/** Reads single keys until the function that it returns is called. */
export function listenToKeys(input: ReadStream, keys: readonly Key[], interrupt: () => void): () => void {
  const onData = (bytes: Buffer) => {
    for (const pressed of bytes.toString('utf8')) {
      if (pressed === CTRL_C) interrupt()
      else void press(keys.find(({ key }) => key === pressed))
    }
  }
  input.setRawMode(true)
  input.on('data', onData)
  return () => {
    input.off('data', onData)
    input.setRawMode(false)
    input.pause()
  }
}

/**
 * Whether a person can press keys. A process that a shell has put into the background with `&` has a terminal too, but
 * the system would stop it as soon as it reads from it.
 */
export function hasKeys(): boolean {
  return process.stdin.isTTY && process.stdout.isTTY && isInForeground()
}

function isInForeground(): boolean {
  if (process.platform === 'win32') return true
  try {
    if (process.platform === 'linux') {
      // proc(5): after the name in parentheses come state, parent, group, session, terminal and the group at the terminal.
      const [, , group, , , atTerminal] = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]!.split(' ')
      return group === atTerminal
    }
    const state = execFileSync('ps', ['-o', 'stat=', '-p', String(process.pid)], { encoding: 'utf8' })
    return state.includes('+')
  } catch {
    return false
  }
}
