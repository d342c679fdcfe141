/** The table on the terminal, and what it all comes to. */
import { counted } from '../../spec/contract/counted.ts'
import { tookText } from '../../spec/contract/duration.ts'
import { type Baseline, gotBetter, isRefused } from './baseline.ts'
import type { Trouble } from './catalog.ts'
import type { Calm, TroubleResult } from './runner.ts'
import { NO_VERDICTS, VERDICTS, type Verdict } from './verdict.ts'

const ALL: readonly Verdict[] = [...VERDICTS, ...NO_VERDICTS]
const VERDICT_WIDTH = Math.max(...ALL.map((verdict) => verdict.length))

export function calmLines(
  { tookMs, money, requests, hasReceiver }: Calm,
  troubles: readonly Trouble[],
  jobs: number,
) {
  const moved = money.reduce((sum, order) => sum + order.moved.length, 0)
  const what = `${counted(money.length, 'order')}, ${counted(moved, 'movement')} of money`
  const calm = `In calm it passes in ${tookText(tookMs)}: ${requests === 0 ? 'no requests' : what}.`
  const line = `${calm} Now with ${counted(troubles.length, 'trouble')}, ${jobs} at a time.`
  if (hasReceiver || !troubles.some(({ needsReceiver }) => needsReceiver)) return [line]
  return [line, NO_RECEIVER]
}

const NO_RECEIVER =
  'Nothing answered a webhook, so troubles of webhooks are not exercised: receive them at PAYSIM_WEBHOOK_URL, or name the receiver with --webhook-url.'

/** One trouble, and below it why it is not survived. */
export function troubleLines(
  result: TroubleResult,
  baseline: Baseline,
  nameWidth: number,
): [line: string, ...details: string[]] {
  const { trouble, verdict, reasons, fired, tookMs, outputFile } = result
  const isAccepted = verdict !== 'survived' && baseline[trouble.name] && !isRefused(result, baseline)
  const line = [
    verdict.padEnd(VERDICT_WIDTH),
    trouble.name.padEnd(nameWidth),
    fired > 0 ? `${fired}×`.padStart(4) : '    ',
    tookMs > 0 ? tookText(tookMs).padStart(7) : '       ',
    trouble.sentence + (isAccepted ? ' (in the baseline)' : ''),
  ].join('  ')
  const showsOutput = outputFile !== undefined && reasons.length > 0
  const details = showsOutput ? [...reasons, `output: ${outputFile}`] : reasons
  return [line, ...details.map((detail) => `${' '.repeat(VERDICT_WIDTH + 2)}${detail}`)]
}

export function gauntletSummary(
  results: readonly TroubleResult[],
  baseline: Baseline,
  tookMs: number,
): string[] {
  const better = gotBetter(results, baseline)
  return [
    `${verdictCounts(results)}, in ${tookText(tookMs)}.`,
    ...(better.length > 0
      ? [`Better than the baseline: ${better.join(', ')}. --update-baseline keeps it so.`]
      : []),
  ]
}

/** `48 survived, 2 bad conduct`. */
export const verdictCounts = (results: readonly TroubleResult[]): string =>
  ALL.map((verdict) => [results.filter((one) => one.verdict === verdict).length, verdict])
    .filter(([count]) => count !== 0)
    .map(([count, verdict]) => `${count} ${verdict}`)
    .join(', ')
