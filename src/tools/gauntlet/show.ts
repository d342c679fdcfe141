/** The table on the terminal, and the summary below it. */
import { counted } from '../../spec/contract/counted.ts'
import { tookText } from '../../spec/contract/duration.ts'
import { groupBy } from '../../spec/grouping.ts'
import type { Trouble } from '../../tester/audit/arms.ts'
import { type Baseline, isRefused } from './baseline.ts'
import { differenceText, type OrderMoney } from './money.ts'
import type { Calm, CalmAgain } from './runner.ts'
import { NO_VERDICTS, type TroubleResult, VERDICTS, type Verdict } from './verdict.ts'

const ALL: readonly Verdict[] = [...VERDICTS, ...NO_VERDICTS]
const VERDICT_WIDTH = Math.max(...ALL.map((verdict) => verdict.length))

export function movedText(money: readonly OrderMoney[]): string {
  const moved = money.reduce((sum, order) => sum + order.moved.length, 0)
  return `${counted(money.length, 'order')}, ${counted(moved, 'movement')} of money`
}

/** The runs that begin now. */
interface Begun {
  troubles: readonly Trouble[]
  jobs: number
  /** The receiver or the app of all runs, if that is one address. */
  oneAddress: string | undefined
}

export function calmLines(
  { tookMs, money, hasReceiver, findings }: Calm,
  { troubles, jobs, oneAddress }: Begun,
) {
  const calm = `The baseline run passed in ${tookText(tookMs)}: ${movedText(money)}.`
  const why = oneAddress !== undefined && jobs === 1 ? `, as all runs use ${oneAddress}` : ''
  const line = `${calm} Now with ${counted(troubles.length, 'trouble')}, ${jobs} at a time${why}.`
  const lines = [line, ...brokenInCalm(findings)]
  const isOfWebhooks = ({ behaviors }: Trouble) => behaviors.some(({ do: words }) => 'webhook' in words)
  if (hasReceiver || !troubles.some(isOfWebhooks)) return lines
  return [...lines, NO_RECEIVER]
}

/** Rules broken in the baseline run, printed once so that no trouble repeats them. */
const brokenInCalm = (findings: Calm['findings']): string[] =>
  [...groupBy(findings, ({ rule }) => rule)].map(
    ([rule, [first]]) => `Already in the baseline run, ${rule}: ${first!.what}.`,
  )

const NO_RECEIVER =
  'Nothing answered a webhook, so troubles of webhooks are not exercised: receive them at PAYSIM_WEBHOOK_URL, or name the receiver with --webhook-url.'

/** Lines about the second baseline run; none where it was like the first. */
export function calmAgainLines({ failure, yardstick }: CalmAgain): string[] {
  const { unsteady, open, orders } = yardstick
  const loose = orders.filter(({ moved }) => moved.every(({ amount }) => amount === undefined))
  if (failure !== undefined) {
    return [`The baseline run passed once and failed once (${failure}): a failure may be their own.`, '']
  }
  if (unsteady.length === 0) return []
  const compared =
    open.size > 0
      ? 'Money is compared only for the orders that were the same.'
      : `Of ${counted(loose.length, 'order')}, charges and refunds are counted, and their amounts are not compared.`
  return [
    'Two baseline runs did not move the same money:',
    ...unsteady.map((difference) => `  ${differenceText(difference)}`),
    `${compared} Fixed orders and amounts in the tests make all of it comparable.`,
    '',
  ]
}

/** The line of one trouble, and below it why it is not survived. */
export function troubleLines(
  result: TroubleResult,
  baseline: Baseline,
  nameWidth: number,
): [line: string, ...details: string[]] {
  const { trouble, verdict, reasons, notes, fired, tookMs, outputFile } = result
  const isAccepted = verdict !== 'survived' && baseline[trouble.name] && !isRefused(result, baseline)
  const line = [
    verdict.padEnd(VERDICT_WIDTH),
    trouble.name.padEnd(nameWidth),
    fired > 0 ? `${fired}×`.padStart(4) : '    ',
    tookMs > 0 ? tookText(tookMs).padStart(7) : '       ',
    trouble.sentence + (isAccepted ? ' (in the baseline)' : ''),
  ].join('  ')
  const showsOutput = outputFile !== undefined && reasons.length > 0
  const details = [...reasons, ...notes, ...(showsOutput ? [`output: ${outputFile}`] : [])]
  return [
    line,
    ...details
      .flatMap((detail) => detail.split('\n'))
      .map((detail) => `${' '.repeat(VERDICT_WIDTH + 2)}${detail}`),
  ]
}

export function gauntletSummary(results: readonly TroubleResult[], tookMs: number): string {
  const isTried = results.some(({ verdict }) => verdict !== 'not run' && verdict !== 'not exercised')
  return `${verdictCounts(results)}${isTried ? '' : ': nothing was tested'}, in ${tookText(tookMs)}.`
}

/** `48 survived, 2 audit failed`. */
export const verdictCounts = (results: readonly { verdict: Verdict }[]): string =>
  ALL.map((verdict) => [results.filter((result) => result.verdict === verdict).length, verdict])
    .filter(([count]) => count !== 0)
    .map(([count, verdict]) => `${count} ${verdict}`)
    .join(', ')

export const SENT_NOTHING =
  "Its tests sent nothing to paysim. They must use useSandbox or createSimulator, or read the address and the key from PAYSIM_URL and PAYSIM_API_KEY. If your app reads other variables, set them in a shell: -- sh -c 'PAYMENTS_URL=$PAYSIM_URL/v1 npm test'"
