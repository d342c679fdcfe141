/** The files that a command writes at its end. What is wrong with them is said before its work, which may take hours. */
import { statSync } from 'node:fs'
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
  const folder = dirname(file)
  const why = isFolder(file)
    ? 'it is a folder'
    : isFolder(folder)
      ? undefined
      : `there is no folder ${folder}`
  if (why !== undefined) throw new UsageError(`${what} ${file} cannot be written: ${why}.`)
}

const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
