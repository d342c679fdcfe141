/** The baseline: a JSON file with the troubles that are not survived yet. Only a worse verdict than there fails the gauntlet. */
import { existsSync, writeFileSync } from 'node:fs'
import { z } from 'zod'
import { asSentence } from '../../spec/contract/suggest.ts'
import { UsageError } from '../../spec/options/read.ts'
import { readTextFile } from '../../spec/text-file.ts'
import { type Exercised, isExercised, isWorse, type TroubleResult, VERDICTS } from './verdict.ts'

const Baseline = z.record(z.string(), z.enum(VERDICTS))
export type Baseline = z.infer<typeof Baseline>

/** A file that is to be written may not be there yet. */
export function readBaseline(file: string, mayBeMissing: boolean): Baseline {
  if (mayBeMissing && !existsSync(file)) return {}
  try {
    return Baseline.parse(JSON.parse(readTextFile(file)))
  } catch (cause) {
    const why = cause instanceof z.ZodError ? cause.issues[0]!.message : (cause as Error).message
    throw new UsageError(
      `--baseline ${file} must be a JSON object such as {"answer-lost-once": "failed loudly"}: ${asSentence(why)}`,
    )
  }
}

/** Returns what it writes. A trouble that was not exercised this time keeps its line. */
export function writeBaseline(file: string, earlier: Baseline, results: readonly TroubleResult[]): Baseline {
  const next: Record<string, Exercised> = { ...earlier }
  for (const { trouble, verdict } of results) {
    if (verdict === 'survived') delete next[trouble.name]
    else if (isExercised(verdict)) next[trouble.name] = verdict
  }
  const sorted = Object.fromEntries(Object.entries(next).sort(([a], [b]) => (a < b ? -1 : 1)))
  writeFileSync(file, `${JSON.stringify(sorted, null, 2)}\n`)
  return sorted
}

/** Whether the result fails the gauntlet. */
export function isRefused({ trouble, verdict }: TroubleResult, baseline: Baseline): boolean {
  if (verdict === 'not judged') return true
  if (!isExercised(verdict) || verdict === 'survived') return false
  const known = baseline[trouble.name]
  return known === undefined || isWorse(verdict, known)
}
