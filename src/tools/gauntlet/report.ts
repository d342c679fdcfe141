/** What the gauntlet has found, for the reports: a check for each trouble. */

import { counted } from '../../spec/contract/counted.ts'
import { tookText } from '../../spec/contract/duration.ts'
import { formatInstant } from '../../spec/contract/time.ts'
import { type Cause, type Check, type CheckReport, titleOf } from '../checks/check.ts'
import { type Baseline, isRefused } from './baseline.ts'
import type { GauntletCause } from './causes.ts'
import { movementText } from './money.ts'
import type { Calm } from './runner.ts'
import { verdictCounts } from './show.ts'
import { outputIn } from './telling-line.ts'
import type { TroubleFile } from './trouble-file.ts'
import { isExercised, NO_VERDICTS, type TroubleResult, VERDICTS } from './verdict.ts'

export interface GauntletOutcome {
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
  const { command, calm, results, causes, baseline, tookMs } = outcome
  const checks = results.map((result) => checkOf(result, baseline))
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

function checkOf(result: TroubleResult, baseline: Baseline): Check {
  const { trouble, verdict, reasons, tookMs } = result
  const isTried = verdict === 'not judged' || isExercised(verdict)
  const outcome = isRefused(result, baseline) ? 'failed' : isTried ? 'passed' : 'skipped'
  const output = outcome === 'failed' ? outputOf(result) : ''
  const text = [...reasons, ...(output === '' ? [] : ['', output])].join('\n')
  const { name, sentence: about, file } = trouble
  return { name, about, file, outcome, verdict, why: reasons[0] ?? '', text, ms: tookMs }
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
