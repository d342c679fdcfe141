/** The options of `paysim gauntlet`. A mistake is one sentence that says what would be right. */
import { availableParallelism } from 'node:os'
import { basename, extname } from 'node:path'
import { z } from 'zod'
import type { Armable } from '../../sandbox/scenario-file/armable.ts'
import { readScenarios } from '../../sandbox/scenario-file/read.ts'
import { asSentence } from '../../spec/contract/suggest.ts'
import { UsageError } from '../../spec/options/read.ts'
import { readTextFile } from '../../spec/text-file.ts'
import type { Trouble } from '../../tester/audit/arms.ts'
import type { Resolved } from '../options/commands.ts'
import { type ReportFile, requireWritable } from '../options/output-files.ts'
import { CATALOG, firstOfEachKind } from './catalog.ts'
import { doubtsFor, isDoubt } from './doubts.ts'
import { pairNamed } from './pairs.ts'
import { hasPort } from './webhook-address.ts'

/** Refuses options that do not go together, which their table cannot see. */
export function requireTogether({ webhook, app, ready, jobs = 1, ...options }: Resolved<'gauntlet'>): void {
  const { baseline, updateBaseline } = options
  requirePort(`The webhook URL ${webhook.url}`, webhook.url, 'receiver', jobs)
  if (ready !== undefined && app === undefined) {
    throw new UsageError('--ready needs --app COMMAND, the app that is ready there.')
  }
  if (ready !== undefined) requirePort(`--ready ${ready}`, ready, 'app', jobs)
  if (!updateBaseline) return
  if (baseline === undefined) {
    throw new UsageError('--update-baseline needs --baseline FILE, the file to write.')
  }
  requireWritable(baseline, 'The baseline')
}

function requirePort(subject: string, url: string, what: string, jobs: number): void {
  if (jobs === 1 || hasPort(url)) return
  throw new UsageError(
    `${subject} is one address, but each of the ${jobs} parallel runs needs its own ${what}: write {port} instead of the port, or use --jobs 1.`,
  )
}

/** The troubles that the options name: those of files alone, unless others are asked for too. */
export async function troublesOf(options: Resolved<'gauntlet'>): Promise<readonly Trouble[]> {
  const { only, trouble, failed, quick, depth, reports } = options
  const added = await readOwnTroubles(trouble)
  const isAlone = added.length > 0 && only === undefined && !quick && !failed && depth === 1
  const named = isAlone ? added : chosen(only, [...CATALOG, ...added, ...doubtsFor(only)])
  return failed ? failedOf(named, reports) : named
}

/** The troubles that this run tries: with `--quick` one of each kind, and only doubts that the tests have touched. */
export function partOf(
  troubles: readonly Trouble[],
  { quick, only }: Resolved<'gauntlet'>,
  canAct: (trouble: Trouble) => boolean,
): readonly Trouble[] {
  // Names say which, so that gauntlet.quick of a settings file does not narrow them.
  const able = troubles.filter((trouble) => !isDoubt(trouble) || canAct(trouble))
  return quick && only === undefined ? firstOfEachKind(able, canAct) : able
}

/**
 * Runs mostly wait for timeouts and pauses: on two cores, four runs use half of the CPU. With eight, a client with a timeout of one
 * second can miss responses.
 */
const JOBS_OF_A_CORE = 3
const DEFAULT_JOBS_MAX = 8

/** The address that all runs use, which is why they take turns; undefined if each has addresses of its own. */
export const oneAddressOf = (
  { webhook, ready }: Resolved<'gauntlet'>,
  sharedReceiver: string | undefined,
): string | undefined => {
  if (!hasPort(webhook.url)) return webhook.url
  return ready !== undefined && !hasPort(ready) ? ready : sharedReceiver
}

/** How many runs at the same time: one after the other if all use one address. */
export const jobsOf = ({ jobs }: Resolved<'gauntlet'>, oneAddress: string | undefined): number =>
  jobs ?? (oneAddress === undefined ? Math.min(availableParallelism() * JOBS_OF_A_CORE, DEFAULT_JOBS_MAX) : 1)

const LastReport = z.object({
  troubles: z.array(z.object({ name: z.string(), accepted: z.boolean(), verdict: z.string().optional() })),
})

/** The troubles that failed the last time, read from the report that this run will overwrite. */
function failedOf(troubles: readonly Trouble[], reports: readonly ReportFile[]): Trouble[] {
  const file = reports.find(({ kind }) => kind === 'json')?.file
  if (file === undefined) {
    throw new UsageError('--failed reads what failed from the last report: name it with --report json=FILE.')
  }
  try {
    const last = LastReport.parse(JSON.parse(readTextFile(file)))
    // A pair that was not run is not known from elsewhere: the runs of this time may find others.
    const isLeft = ({ name, verdict }: (typeof last.troubles)[number]) =>
      verdict === 'not run' && pairNamed(name) !== undefined
    const failed = last.troubles.flatMap((entry) => (entry.accepted && !isLeft(entry) ? [] : [entry.name]))
    return [
      ...troubles.filter(({ name }) => failed.includes(name)),
      ...failed.flatMap((name) => pairNamed(name) ?? []),
    ]
  } catch (cause) {
    const why =
      cause instanceof z.ZodError ? `${file} is not a report of the gauntlet` : (cause as Error).message
    throw new UsageError(`--failed: ${asSentence(why)} Run once without --failed.`)
  }
}

function chosen(parts: readonly string[] | undefined, all: readonly Trouble[]): readonly Trouble[] {
  if (parts === undefined) return all
  const pairs = parts.flatMap((part) => pairNamed(part) ?? [])
  const others = parts.filter((part) => pairNamed(part) === undefined)
  const unknown = others.find((part) => !all.some(({ name }) => name.includes(part)))
  if (unknown !== undefined || parts.includes('')) {
    throw new UsageError(
      `--only takes names of troubles or parts of them, such as answer-lost or webhook, not ${JSON.stringify(unknown ?? parts.join(','))}. There are: ${all.map(({ name }) => name).join(', ')}.`,
    )
  }
  return [...all.filter(({ name }) => others.some((part) => isMeant(name, part, all))), ...pairs]
}

/** A whole name means that trouble alone: `outage` is also a part of `outage-with-retry-after`. */
const isMeant = (name: string, part: string, all: readonly Trouble[]) =>
  all.some((trouble) => trouble.name === part) ? name === part : name.includes(part)

/**
 * Troubles of the user's own (`--trouble`): the behaviors of a scenario file. A trouble has the name of its file, as `--only`,
 * the baseline and a sandbox take it; its sentence is the scenario's name.
 */
async function readOwnTroubles(files: readonly string[]): Promise<Trouble[]> {
  const troubles: Trouble[] = []
  for (const file of files) {
    for (const { name: sentence, behaviors = [], case: of } of await readScenarios(file)) {
      if (behaviors.length === 0) {
        throw new UsageError(
          `--trouble ${file} has no behaviors: it must say what happens, under behaviors:.`,
        )
      }
      const name = asName([basename(file, extname(file)), of].filter(Boolean).join('-'))
      if ([...CATALOG, ...troubles].some((trouble) => trouble.name === name)) {
        throw new UsageError(
          `--trouble ${file} would be the trouble ${name}, which there is: rename the file.`,
        )
      }
      troubles.push({ name, sentence, behaviors: behaviors as readonly Armable[], file })
    }
  }
  return troubles
}

const NAME_MAX_CHARS = 60

const asName = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, NAME_MAX_CHARS) || 'own'
