/** What the simulator says of itself: one line at a time, for a person or for a machine. */
import type { LogFormat } from './config.ts'
import { wallClock } from './world/clock.ts'

export type Level = 'info' | 'warn' | 'error'
export type Log = (level: Level, message: string, fields?: Record<string, unknown>) => void

export function createLog(format: LogFormat, write: (line: string) => void = toStderr): Log {
  if (format === 'silent') return () => {}
  return (level, message, fields = {}) => {
    const time = new Date(wallClock()).toISOString()
    if (format === 'json') write(`${JSON.stringify({ time, level, message, ...fields }, withStacks)}\n`)
    else write(`${time.slice(11, 23)} ${level === 'info' ? '' : `${level}: `}${message}${pretty(fields)}\n`)
  }
}

/** Lines that nobody reads are not gathered until somebody does. */
function toStderr(line: string): void {
  if (!process.stderr.writableNeedDrain) process.stderr.write(line)
}

/** An error's own fields tell little of it. */
const withStacks = (_: string, value: unknown) => (value instanceof Error ? value.stack : value)

const pretty = (fields: Record<string, unknown>) =>
  Object.entries(fields)
    .map(([name, value]) => ` ${name}=${value instanceof Error ? value.stack : onOneLine(String(value))}`)
    .join('')

/** What somebody else wrote must not look like a line of ours. */
const onOneLine = (text: string) => (/^[ -~]*$/.test(text) ? text : JSON.stringify(text))
