/** The files that a command writes at its end. An unwritable path is refused before the work, which may take hours. */
import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { z } from 'zod'
import { valueAt } from '../../spec/contract/parsed-json.ts'
import type { CommandOption } from '../../spec/options/option.ts'
import { UsageError } from '../../spec/options/read.ts'

/** The report formats of a command that passes or fails. */
const REPORT_KINDS = ['junit', 'json', 'html'] as const
export type ReportKind = (typeof REPORT_KINDS)[number]

export interface ReportFile {
  kind: ReportKind
  file: string
}

const REPORT_RULE = 'must be junit=FILE, json=FILE or html=FILE'
/** The value of `--report`: `KIND=FILE` as text, a list of these, or an object. */
export const ReportFiles = z
  .union([z.string(), z.array(z.string()), z.record(z.string(), z.string())], REPORT_RULE)
  .transform((given, { issues }): ReportFile[] => {
    const pairs =
      typeof given === 'object' && !Array.isArray(given)
        ? Object.entries(given)
        : [given].flat().map((text) => text.split(/=(.*)/s))
    return pairs.flatMap(([word, file = '']) => {
      const kind = REPORT_KINDS.find((kind) => kind === word)
      if (kind !== undefined && file !== '') return [{ kind, file }]
      issues.push({ code: 'custom', input: given, message: REPORT_RULE })
      return []
    })
  })

/** Throws if a file named by the options cannot be written. */
export function requireOutputs(
  options: readonly CommandOption[],
  read: Readonly<Record<string, unknown>>,
): void {
  for (const { writes, path } of options) {
    const value = valueAt(read, path)
    if (writes === undefined || value === undefined) continue
    const files = Array.isArray(value) ? (value as ReportFile[]).map(({ file }) => file) : [String(value)]
    for (const file of files) requireWritable(file, writes)
  }
}

export function requireWritable(file: string, what: string): void {
  const why = whyNotWritable(file)
  if (why !== undefined) throw new UsageError(`${what} ${file} cannot be written: ${why}.`)
}

function whyNotWritable(file: string): string | undefined {
  if (isFolder(file)) return 'it is a folder'
  const folder = dirname(file)
  if (!isFolder(folder)) return `there is no folder ${folder}`
  try {
    accessSync(existsSync(file) ? file : folder, constants.W_OK)
  } catch {
    return 'permission denied'
  }
}

const isFolder = (path: string) => existsSync(path) && statSync(path).isDirectory()
