/** The options of `paysim gauntlet`. A mistake is one sentence that says what would be right. */
import { suggest } from '../../spec/contract/suggest.ts'
import { readReportFiles, requireWritable } from '../../spec/options/output-files.ts'
import { readValue, UsageError } from '../../spec/options/read.ts'
import { duration, HttpUrl, IgnoredRules, numberFromText, wholeNumber } from '../../spec/options/values.ts'
import { CATALOG, type Trouble } from './catalog.ts'
import { REPORT_FORMATS } from './report.ts'
import { DEFAULT_WEBHOOK_URL, hasPort } from './webhook-address.ts'

export interface GauntletFlags {
  command: readonly string[]
  /** Names, or parts of names, separated by commas. */
  only?: string | undefined
  jobs?: string | undefined
  budget?: string | undefined
  webhookUrl?: string | undefined
  /** Rules of conduct, such as `C7=legacy importer`. */
  ignore?: readonly string[] | undefined
  /** `junit=FILE`, `json=FILE` or `html=FILE`. */
  reports?: readonly string[] | undefined
  baseline?: string | undefined
  updateBaseline?: boolean | undefined
}

const DEFAULT_JOBS = 2
const JOBS_MAX = 64

export function readGauntletFlags(flags: GauntletFlags, env: Readonly<Record<string, string | undefined>>) {
  const { command, only, budget, reports = [], baseline, updateBaseline = false } = flags
  const webhookUrl = flags.webhookUrl ?? (env.PAYSIM_WEBHOOK_URL || DEFAULT_WEBHOOK_URL)
  const name = flags.webhookUrl === undefined ? 'PAYSIM_WEBHOOK_URL' : '--webhook-url'
  readValue(HttpUrl, webhookUrl.replaceAll('{port}', '1'), name)
  const fixedPort = !hasPort(webhookUrl)
  const jobs =
    flags.jobs === undefined
      ? fixedPort
        ? 1
        : DEFAULT_JOBS
      : readValue(wholeNumber(1, JOBS_MAX), numberFromText(flags.jobs), '--jobs')
  if (jobs > 1 && fixedPort) {
    throw new UsageError(
      `${name} ${webhookUrl} is one address, and each of ${jobs} runs at the same time has a receiver of its own: write {port} in place of the port, or say --jobs 1.`,
    )
  }
  if (updateBaseline && baseline === undefined) {
    throw new UsageError('--update-baseline needs --baseline FILE, the file to write.')
  }
  if (updateBaseline) requireWritable(baseline!, 'The baseline')
  return {
    command,
    troubles: chosen(only),
    jobs,
    budgetMs: budget === undefined ? undefined : duration(budget, '--budget'),
    webhookUrl,
    ignoredRules: readIgnored(flags.ignore, env),
    reports: readReportFiles(reports, REPORT_FORMATS),
    baselineFile: baseline,
    updateBaseline,
  }
}

function readIgnored(given: GauntletFlags['ignore'], env: Readonly<Record<string, string | undefined>>) {
  if (given !== undefined) return readValue(IgnoredRules, [...given], '--ignore')
  return readValue(IgnoredRules, env.PAYSIM_CONDUCT_IGNORE ?? '', 'PAYSIM_CONDUCT_IGNORE')
}

function chosen(only: string | undefined): readonly Trouble[] {
  if (only === undefined) return CATALOG
  const parts = only.split(',').map((part) => part.trim())
  const unknown = parts.find((part) => !CATALOG.some(({ name }) => name.includes(part)))
  if (unknown !== undefined || parts.includes('')) {
    throw new UsageError(
      `--only takes names of troubles or parts of them, such as answer-lost or webhook, not ${JSON.stringify(unknown ?? only)}. ${nearest(unknown ?? '')}`,
    )
  }
  return CATALOG.filter(({ name }) => parts.some((part) => isMeant(name, part)))
}

/** The troubles with a part that is near to this one; all of them where there is none. */
function nearest(part: string): string {
  const near = suggest(
    part,
    CATALOG.flatMap(({ name }) => wordsInRow(name)),
  )
  const names = CATALOG.map(({ name }) => name).filter((name) => near === undefined || name.includes(near))
  return near === undefined ? `There are: ${names.join(', ')}.` : `Similar names are: ${names.join(', ')}.`
}

/** Of `answer-lost-once` also `answer-lost`, `lost-once` and each word. */
function wordsInRow(name: string): string[] {
  const words = name.split('-')
  return words.flatMap((_, from) =>
    words.slice(from).map((_, more) => words.slice(from, from + more + 1).join('-')),
  )
}

/** A whole name means that trouble alone: `outage` is also a part of `outage-with-retry-after`. */
const isMeant = (name: string, part: string) =>
  CATALOG.some((trouble) => trouble.name === part) ? name === part : name.includes(part)
