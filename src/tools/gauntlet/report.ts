/** Reports for other programs: JUnit XML for CI, JSON for anything else. */
import { existsSync, readFileSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'
import { type JunitCase, junitXml } from '../../spec/junit.ts'
import { type Baseline, isRefused } from './baseline.ts'
import type { GauntletCause } from './causes.ts'
import type { Calm } from './runner.ts'
import { isExercised, type TroubleResult } from './verdict.ts'

export const REPORT_FORMATS = ['junit', 'json', 'html'] as const
export type ReportFormat = (typeof REPORT_FORMATS)[number]

export interface Outcome {
  command: readonly string[]
  calm: Pick<Calm, 'tookMs' | 'money' | 'hasReceiver' | 'findings'>
  results: readonly TroubleResult[]
  causes: readonly GauntletCause[]
  baseline: Baseline
  /** Milliseconds since 1970. */
  startedAt: number
  tookMs: number
}

/** The end of what a run printed, where test runners say what failed. */
const OUTPUT_LINES = 60

/** The page is made by those who draw pages. */
export const renderReport: Record<Exclude<ReportFormat, 'html'>, (outcome: Outcome) => string> = {
  json,
  junit,
}

function json({ command, calm, results, causes, baseline, tookMs }: Outcome): string {
  const troubles = results.map((result) => ({
    name: result.trouble.name,
    sentence: result.trouble.sentence,
    verdict: result.verdict,
    accepted: !isRefused(result, baseline),
    reasons: result.reasons,
    notes: result.notes,
    orders: result.orders,
    conduct: result.findings.map(({ rule, severity, what, requests, about, money }) => {
      return { rule, severity, what, requests, about, money }
    }),
    fired: result.fired,
    ...(result.trail && { journal: result.trail.journal.split('\n'), timeline: result.trail.timeline }),
    runs: result.runs,
    tookMs: Math.round(result.tookMs),
  }))
  const report = {
    command,
    tookMs: Math.round(tookMs),
    calm: {
      tookMs: Math.round(calm.tookMs),
      orders: calm.money,
      receivesWebhooks: calm.hasReceiver,
      conduct: calm.findings,
    },
    causes,
    troubles,
  }
  return `${JSON.stringify(report, null, 2)}\n`
}

function junit({ command, results, baseline, tookMs }: Outcome): string {
  const cases = results.map((result) => ({
    of: 'gauntlet',
    name: `${result.trouble.name}: ${result.trouble.sentence}`,
    ms: result.tookMs,
    ...judged(result, baseline),
  }))
  return junitXml([{ name: `gauntlet of ${command.join(' ')}`, ms: tookMs, cases }])
}

function judged(result: TroubleResult, baseline: Baseline): Pick<JunitCase, 'failure' | 'skipped'> {
  const { verdict, reasons } = result
  if (verdict !== 'not judged' && !isExercised(verdict)) return { skipped: verdict }
  if (!isRefused(result, baseline)) return {}
  const message = [verdict, ...reasons.slice(0, 1)].join(': ')
  return { failure: { type: verdict, message, text: [...reasons, '', outputOf(result)].join('\n') } }
}

/** The end of what a run printed. */
export function outputOf({ outputFile }: TroubleResult): string {
  if (outputFile === undefined || !existsSync(outputFile)) return ''
  // Of colours, only the numbers would be left.
  return stripVTControlCharacters(readFileSync(outputFile, 'utf8'))
    .trimEnd()
    .split('\n')
    .slice(-OUTPUT_LINES)
    .join('\n')
}
