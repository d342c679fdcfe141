/** The files that a command writes at its end. What is wrong with them is said before its work, which may take hours. */
import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { UsageError } from './read.ts'

export interface ReportFile<Kind extends string> {
  kind: Kind
  file: string
}

/** Each `--report KIND=FILE`. */
export function readReportFiles<Kind extends string>(
  texts: readonly string[],
  kinds: readonly Kind[],
): ReportFile<Kind>[] {
  return texts.map((text) => {
    const [word = '', file = ''] = text.split(/=(.*)/s)
    const kind = kinds.find((one) => one === word)
    if (kind === undefined || file === '') {
      const forms = kinds.map((one) => `${one}=FILE`).join(', ')
      throw new UsageError(`--report takes ${forms.replace(/, (?=[^,]*$)/, ' or ')}, not ${text}.`)
    }
    requireWritable(file, 'The report')
    return { kind, file }
  })
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
    return 'this user may not write there'
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    // A file in place of a folder on the way is no folder either.
    return false
  }
}
