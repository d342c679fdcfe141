/** What a comparison prints: a line for each step, and what differs where something does. */
import { type FileDifferences, isComparable } from './compare.ts'
import type { Painter } from './paint.ts'
import type { StepResult } from './result.ts'

export function differenceLines(
  { skipped, failed, differences }: FileDifferences,
  ours: readonly StepResult[],
  theirs: readonly StepResult[],
  { good, bad, faint }: Painter,
): string[] {
  if (skipped !== undefined) return [`  skipped: ${skipped}`, '']
  if (failed !== undefined) return [`  ${bad('failed')}: ${failed}`, '']
  const lines = ours.map((step) => {
    const { place, label } = step
    const found = differences.find((one) => one.place === place)
    if (found !== undefined) {
      const { kind, path, ours, theirs } = found
      return `  ${bad('≠')} ${faint(place)} ${label}\n      ${kind} ${path}: ours ${bad(ours)}, theirs ${bad(theirs)}`
    }
    const other = theirs.find((one) => one.place === place)
    const compared = isComparable(step) && other !== undefined && isComparable(other)
    return compared
      ? `  ${good('=')} ${faint(place)} ${label}`
      : `  ${faint(`– ${place} ${label}: not compared`)}`
  })
  return [...lines.flatMap((line) => line.split('\n')), '']
}
