/** The log of the simulator, in lines for people or as JSON. */
import type { LogFormat } from './options/simulator.ts'
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

/** While the reader is behind, lines are dropped: kept ones would fill the memory. */
function toStderr(line: string): void {
  if (!process.stderr.writableNeedDrain) process.stderr.write(line)
}

/** An error has no enumerable fields, so JSON.stringify alone would write {}. */
const withStacks = (_: string, value: unknown) => (value instanceof Error ? value.stack : value)

const pretty = (fields: Record<string, unknown>) =>
  Object.entries(fields)
    .map(([name, value]) => ` ${name}=${value instanceof Error ? value.stack : onOneLine(String(value))}`)
    .join('')

/** Quotes a value with line breaks or control characters, which could look like another line of the log. */
const onOneLine = (text: string) => (/^[ -~]*$/.test(text) ? text : JSON.stringify(text))
