/** What the gauntlet has found, for the reports: a check for each trouble. */
import { basename } from 'node:path'
import { counted } from '../../spec/contract/counted.ts'
import { tookText } from '../../spec/contract/duration.ts'
import { formatInstant } from '../../spec/contract/time.ts'
import { type Cause, type Check, type CheckReport, type PageDetails, titleOf } from '../checks/check.ts'
import { type Baseline, isRefused } from './baseline.ts'
import type { GauntletCause } from './causes.ts'
import { outputIn } from './error-line.ts'
import { movementText } from './money.ts'
import type { Calm } from './runner.ts'
import { verdictCounts } from './show.ts'
import type { TroubleFile } from './trouble-file.ts'
import { isExercised, NO_VERDICTS, type TroubleResult, VERDICTS } from './verdict.ts'

interface GauntletOutcome {
  command: readonly string[]
  calm: Pick<Calm, 'tookMs' | 'money' | 'hasReceiver' | 'findings'>
  results: readonly TroubleResult[]
  causes: readonly GauntletCause[]
  baseline: Baseline
  /** What plays each run that was not survived, by the name of its trouble, and where it was written. */
  files: ReadonlyMap<string, TroubleFile>
  /** Milliseconds since 1970. */
  startedAt: number
  tookMs: number
}

/** Troubles that could not be judged are listed next to the failed ones; those that were not tried come last. */
export const WORST_FIRST = [
  ...VERDICTS.toReversed().slice(0, 2),
  'not judged',
  'audit failed',
  'survived',
  ...NO_VERDICTS.slice(1),
]

export function gauntletReport(outcome: GauntletOutcome): CheckReport {
  const { command, calm, results, causes, tookMs } = outcome
  const checks = results.map((result) => checkOf(result, outcome))
  const took = `${tookText(calm.tookMs)} in calm, ${tookText(tookMs)} in all`
  return {
    command: 'gauntlet',
    name: `gauntlet of ${command.join(' ')}`,
    title: titleOf({ checks, verdicts: WORST_FIRST }, 'No trouble was tried'),
    about: `${command.join(' ')}: ${took}: ${verdictCounts(results)}.`,
    startedAt: formatInstant(outcome.startedAt),
    ms: tookMs,
    checks,
    verdicts: WORST_FIRST,
    causes: causes.map(asCause),
    json: () => inJson(outcome),
  }
}

function checkOf(result: TroubleResult, { baseline, files }: GauntletOutcome): Check {
  const { trouble, verdict, reasons, tookMs } = result
  const isTried = verdict === 'not judged' || isExercised(verdict)
  const outcome = isRefused(result, baseline) ? 'failed' : isTried ? 'passed' : 'skipped'
  const output = outcome === 'failed' ? outputOf(result) : ''
  const text = [...reasons, ...(output === '' ? [] : ['', output])].join('\n')
  const { name, sentence: about, file } = trouble
  const why = reasons[0] ?? ''
  return { name, about, file, outcome, verdict, why, text, ms: tookMs, page: pageOf(result, files) }
}

function pageOf(result: TroubleResult, files: GauntletOutcome['files']): PageDetails {
  const { trouble, notes, fired, tookMs, trail } = result
  const { path, yaml, differs } = files.get(trouble.name) ?? {}
  const happened = trail?.timeline.map(({ at, id, text }) => `${at.slice(11, 23)}  ${text}  ${id}`)
  const sections = {
    Notes: [...notes, path || !differs ? [] : `No scenario of this run: ${differs}.`].flat().join('\n'),
    'What happened': happened?.join('\n'),
    Journal: trail?.journal,
    [`${basename(path ?? '')}: plays it without the program`]:
      path && `${differs ? `It differs: ${differs}\n\n` : ''}${yaml}`,
  }
  return {
    intro: `${trouble.sentence}${fired > 0 ? `; it acted ${counted(fired, 'time')}, in ${tookText(tookMs)}` : ''}.`,
    sections: Object.entries(sections).flatMap(([title, text]) =>
      text ? { title, text, open: title === 'What happened' } : [],
    ),
  }
}

function asCause({ rule, what, todo, isMoney, inCalm, troubles, example }: GauntletCause): Cause {
  return {
    what: rule === null ? what : `${rule}: ${what}`,
    where: `in ${counted(troubles.length, 'run')}${inCalm ? ' and in the baseline run' : ''}`,
    todo: todo ?? '',
    isMoney,
    example: { check: example.trouble, text: example.text },
  }
}

function inJson({ command, calm, results, causes, baseline, files, tookMs }: GauntletOutcome) {
  const troubles = results.map((result) => ({
    name: result.trouble.name,
    sentence: result.trouble.sentence,
    verdict: result.verdict,
    accepted: !isRefused(result, baseline),
    reasons: result.reasons,
    notes: result.notes,
    orders: result.orders.map((order) => ({
      ...order,
      tooMuch: order.tooMuch.map(movementText),
      lacks: order.lacks.map(movementText),
      movements: { tooMuch: order.tooMuch, lacks: order.lacks },
    })),
    audit: result.findings.map(({ rule, severity, what, requests, about, money }) => {
      return { rule, severity, what, requests, about, money }
    }),
    fired: result.fired,
    ...(result.trail && { journal: result.trail.journal.split('\n'), timeline: result.trail.timeline }),
    ...(files.has(result.trouble.name) && { scenario: files.get(result.trouble.name) }),
    runs: result.runs,
    tookMs: Math.round(result.tookMs),
  }))
  return {
    command,
    tookMs: Math.round(tookMs),
    calm: {
      tookMs: Math.round(calm.tookMs),
      orders: calm.money.map((order) => ({
        ...order,
        moved: order.moved.map(movementText),
        movements: order.moved,
      })),
      receivesWebhooks: calm.hasReceiver,
      audit: calm.findings,
    },
    causes,
    troubles,
  }
}

/** The end of what a run printed, where test runners say what failed. */
const OUTPUT_LINES = 60

export const outputOf = ({ outputFile }: TroubleResult): string =>
  outputIn(outputFile).split('\n').slice(-OUTPUT_LINES).join('\n')
