/** The output of a comparison: one line for each step, and its differences. */

import type { Colors } from './colors.ts'
import { type FileDifferences, isComparable } from './compare-sides.ts'
import type { SaidOnce } from './difference-groups.ts'
import type { StepResult } from './result.ts'

export function differenceLines(
  { skipped, failed, differences }: FileDifferences,
  ours: readonly StepResult[],
  theirs: readonly StepResult[],
  said: SaidOnce,
  { good, bad, faint }: Colors,
): string[] {
  if (skipped !== undefined) return [`  skipped: ${skipped}`, '']
  if (failed !== undefined) return [`  ${bad('failed')}: ${failed}`, '']
  const lines = ours.map((step) => {
    const { place, label } = step
    const found = differences.filter((one) => one.place === place)
    if (found.length > 0)
      return [
        `  ${bad('≠')} ${faint(place)} ${label}`,
        ...said.sentences(found).map((sentence) => `      ${sentence}`),
      ]
    const other = theirs.find((one) => one.place === place)
    const compared = isComparable(step) && other !== undefined && isComparable(other)
    return compared
      ? `  ${good('=')} ${faint(place)} ${label}`
      : `  ${faint(`– ${place} ${label}: not compared`)}`
  })
  return [...lines.flat(), '']
}
