/** `--report junit=FILE` and `--report json=FILE`, for commands that say pass or fail. */
import { writeFile } from 'node:fs/promises'
import { readReportFiles } from '../../spec/options/output-files.ts'

export type ReportWriters<Result> = Readonly<Record<'junit' | 'json', (result: Result) => string>>

/** Read before the work begins, as a mistake should not be found at its end. */
export function readReportFlags<Result>(
  texts: readonly string[],
  writers: ReportWriters<Result>,
): (result: Result) => Promise<void> {
  const reports = readReportFiles(texts, ['junit', 'json'])
  return async (result) => {
    for (const { kind, file } of reports) await writeFile(file, writers[kind](result))
  }
}
