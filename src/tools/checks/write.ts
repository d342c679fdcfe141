/** Writes a command's findings: the files of `--report`, and the output for GitHub Actions. */
import { appendFile, writeFile } from 'node:fs/promises'
import { UsageError } from '../../spec/options/read.ts'
import type { ReportFile, ReportKind } from '../options/output-files.ts'
import type { CheckReport } from './check.ts'
import { annotations, jobSummary } from './github.ts'
import { junitXml } from './junit.ts'

export interface Writing {
  files: readonly ReportFile[]
  env: Readonly<Record<string, string | undefined>>
  /** Prints a workflow command of GitHub Actions as is. */
  annotate?: ((line: string) => void) | undefined
  /** Masks secrets in a text. */
  hide?: ((text: string) => string) | undefined
}

export async function writeReport(report: CheckReport, writing: Writing): Promise<void> {
  const { files, env, annotate = () => {}, hide = (text) => text } = writing
  if (env.GITHUB_ACTIONS === 'true') {
    for (const line of annotations(report, env.GITHUB_WORKSPACE ?? '.')) annotate(hide(line))
  }
  if (env.GITHUB_STEP_SUMMARY) await saveReport(env.GITHUB_STEP_SUMMARY, jobSummary(report, hide), appendFile)
  for (const { kind, file } of files) await saveReport(file, hide(await textOf(kind, report)))
}

async function textOf(kind: ReportKind, report: CheckReport): Promise<string> {
  if (kind === 'json') return `${JSON.stringify(report.json(), null, 2)}\n`
  if (kind === 'junit') return junitXml(report)
  return (await import('./page.tsx')).htmlReport(report)
}

const saveReport = (
  file: string,
  text: string,
  write: (file: string, text: string) => Promise<void> = writeFile,
): Promise<void> =>
  write(file, text).catch((error: Error) => {
    throw new UsageError(`The report cannot be written: ${error.message}.`)
  })
