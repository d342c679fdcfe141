/** The options of `paysim gauntlet`. A mistake is one sentence that says what would be right. */
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { z } from 'zod'
import { suggest } from '../../spec/contract/suggest.ts'
import { type ReportFile, requireWritable } from '../../spec/options/output-files.ts'
import { readValue, UsageError } from '../../spec/options/read.ts'
import { duration, HttpUrl, IgnoredRules, numberFromText, wholeNumber } from '../../spec/options/values.ts'
import type { Trouble } from '../../tester/conduct/arms.ts'
import { readReportFlags } from '../checks/write.ts'
import { CATALOG } from './catalog.ts'
import { readOwnTroubles } from './own-troubles.ts'
import { DEFAULT_WEBHOOK_URL, hasPort } from './webhook-address.ts'

export interface GauntletFlags {
  command: readonly string[]
  /** Files with behaviors, each a trouble beside those of the catalog. */
  trouble?: readonly string[] | undefined
  /** Names, or parts of names, separated by commas. */
  only?: string | undefined
  quick?: boolean | undefined
  /** `2/5`. */
  shard?: string | undefined
  /** Those that failed in the last run, which the report of JSON tells. */
  failed?: boolean | undefined
  jobs?: string | undefined
  budget?: string | undefined
  limit?: string | undefined
  confirm?: boolean | undefined
  webhookUrl?: string | undefined
  /** Rules of conduct, such as `C7=legacy importer`. */
  ignore?: readonly string[] | undefined
  /** `junit=FILE`, `json=FILE` or `html=FILE`. */
  reports?: readonly string[] | undefined
  baseline?: string | undefined
  updateBaseline?: boolean | undefined
}

/** Most of a run is waiting, so that there may be more than cores. */
const JOBS_OF_A_CORE = 2
const DEFAULT_JOBS_MAX = 8
const JOBS_MAX = 64

type Env = Readonly<Record<string, string | undefined>>

export async function readGauntletFlags(flags: GauntletFlags, env: Env) {
  const { command, only, budget, limit, baseline, updateBaseline = false, quick = false } = flags
  const { webhookUrl, name } = readWebhookUrl(flags.webhookUrl, env)
  const reports = readReportFlags(flags.reports)
  const fixedPort = !hasPort(webhookUrl)
  const jobs =
    flags.jobs === undefined
      ? fixedPort
        ? 1
        : Math.min(availableParallelism() * JOBS_OF_A_CORE, DEFAULT_JOBS_MAX)
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
  const named = chosen(only, [...CATALOG, ...(await readOwnTroubles(flags.trouble ?? []))])
  return {
    command,
    troubles: flags.failed ? failedOf(named, reports) : named,
    quick,
    shard: flags.shard === undefined ? undefined : readShard(flags.shard),
    jobs,
    budgetMs: budget === undefined ? undefined : duration(budget, '--budget'),
    limitMs: limit === undefined ? undefined : duration(limit, '--limit'),
    confirm: flags.confirm,
    webhookUrl,
    ignoredRules: readIgnored(flags.ignore, env),
    reports,
    baselineFile: baseline,
    updateBaseline,
  }
}

/** And which of the two has named it. */
export function readWebhookUrl(given: string | undefined, env: Env) {
  const webhookUrl = given ?? (env.PAYSIM_WEBHOOK_URL || DEFAULT_WEBHOOK_URL)
  const name = given === undefined ? 'PAYSIM_WEBHOOK_URL' : '--webhook-url'
  readValue(HttpUrl, webhookUrl.replaceAll('{port}', '1'), name)
  return { webhookUrl, name }
}

export interface Shard {
  number: number
  of: number
}

function readShard(text: string): Shard {
  const [, number, of] = /^(\d{1,4})\/(\d{1,4})$/.exec(text) ?? []
  const shard = { number: Number(number), of: Number(of) }
  if (!(shard.number >= 1 && shard.number <= shard.of)) {
    throw new UsageError(`--shard takes which part of how many, such as 2/5, not ${JSON.stringify(text)}.`)
  }
  return shard
}

const LastReport = z.object({ troubles: z.array(z.object({ name: z.string(), accepted: z.boolean() })) })

/** The report of the last run is the one that this run will write over. */
function failedOf(troubles: readonly Trouble[], reports: readonly ReportFile<string>[]): Trouble[] {
  const file = reports.find(({ kind }) => kind === 'json')?.file
  if (file === undefined) {
    throw new UsageError('--failed reads what failed from the last report: name it with --report json=FILE.')
  }
  try {
    const last = LastReport.parse(JSON.parse(readFileSync(file, 'utf8')))
    const failed = last.troubles.flatMap(({ name, accepted }) => (accepted ? [] : [name]))
    return troubles.filter(({ name }) => failed.includes(name))
  } catch (cause) {
    const why = cause instanceof z.ZodError ? 'it is no report of the gauntlet' : (cause as Error).message
    throw new UsageError(`--failed cannot read ${file}: ${why}. Run once without --failed.`)
  }
}

export function readIgnored(given: GauntletFlags['ignore'], env: Env) {
  if (given !== undefined) return readValue(IgnoredRules, [...given], '--ignore')
  return readValue(IgnoredRules, env.PAYSIM_CONDUCT_IGNORE ?? '', 'PAYSIM_CONDUCT_IGNORE')
}

function chosen(only: string | undefined, all: readonly Trouble[]): readonly Trouble[] {
  if (only === undefined) return all
  const parts = only.split(',').map((part) => part.trim())
  const unknown = parts.find((part) => !all.some(({ name }) => name.includes(part)))
  if (unknown !== undefined || parts.includes('')) {
    throw new UsageError(
      `--only takes names of troubles or parts of them, such as answer-lost or webhook, not ${JSON.stringify(unknown ?? only)}. ${nearest(unknown ?? '', all)}`,
    )
  }
  return all.filter(({ name }) => parts.some((part) => isMeant(name, part, all)))
}

/** The troubles with a part that is near to this one; all of them where there is none. */
function nearest(part: string, all: readonly Trouble[]): string {
  const near = suggest(
    part,
    all.flatMap(({ name }) => wordsInRow(name)),
  )
  const names = all.map(({ name }) => name).filter((name) => near === undefined || name.includes(near))
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
const isMeant = (name: string, part: string, all: readonly Trouble[]) =>
  all.some((trouble) => trouble.name === part) ? name === part : name.includes(part)
