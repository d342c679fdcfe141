/** What the simulator says of itself: one line at a time, for a person or for a machine. */
import type { LogFormat } from './config.ts'
import { wallClock } from './world/clock.ts'

export type Level = 'info' | 'warn' | 'error'
export type Log = (level: Level, message: string, fields?: Record<string, unknown>) => void

export function createLog(
  format: LogFormat,
  write: (line: string) => void = (line) => process.stderr.write(line),
): Log {
  if (format === 'silent') return () => {}
  return (level, message, fields = {}) => {
    const time = new Date(wallClock()).toISOString()
    if (format === 'json') write(`${JSON.stringify({ time, level, message, ...fields })}\n`)
    else write(`${time.slice(11, 23)} ${level === 'info' ? '' : `${level}: `}${message}${pretty(fields)}\n`)
  }
}

const pretty = (fields: Record<string, unknown>) =>
  Object.entries(fields)
    .map(([name, value]) => ` ${name}=${value instanceof Error ? value.stack : value}`)
    .join('')
