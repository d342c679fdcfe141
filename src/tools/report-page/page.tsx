/**
 * The details of each scenario in `paysim run --report html=FILE`: its steps with every request and response, and the journal.
 */

import { Icon } from '../../pages/icons.tsx'
import { sentenceOfUnfired } from '../../sandbox/scenario-file/unfired-sentence.ts'
import { tookText } from '../../spec/contract/duration.ts'
import { htmlReport } from '../checks/page.tsx'
import { runReport } from '../player/report.ts'
import { type FileResult, isInner, isShown, type StepResult, skippedText } from '../player/result.ts'
import { receivedLines, requestLines } from '../player/show-result.ts'

export const reportPage = (results: readonly FileResult[]): string =>
  htmlReport(runReport(results), (_, { index }) => <ScenarioResult result={results[index]!} />)

/** Such as `1.2 s, 3 of 4 steps were skipped`. */
const aboutResult = (result: FileResult): string =>
  [tookText(result.tookMs), skippedText([result])].filter((text) => text !== undefined).join(', ')

function ScenarioResult({ result }: { result: FileResult }) {
  const { file, outcome, reason, steps, unfired, journal, seed } = result
  return (
    <>
      <p class="soft">
        <code>{file}</code>
        {outcome !== 'skipped' && `, ${aboutResult(result)}`}
        {seed !== undefined && `, drawn with --seed ${seed}`}
      </p>
      {outcome !== 'passed' && reason !== undefined && <p class={`reason ${outcome}`}>{reason}</p>}
      {unfired.map((behavior) => (
        <p class="reason failed">{sentenceOfUnfired(behavior)}</p>
      ))}
      <ol class="steps-played">
        {steps.filter(isShown).map((step) => (
          <StepLine step={step} />
        ))}
      </ol>
      {journal !== undefined && (
        <details>
          <summary>Journal</summary>
          <pre>{journal}</pre>
        </details>
      )}
    </>
  )
}

const ICONS = { passed: 'check', failed: 'cross', skipped: 'pause' } as const

function StepLine({ step }: { step: StepResult }) {
  const { place, label, outcome, saw, reason, tookMs, request, differences, received } = step
  return (
    <li class={`${outcome}${isInner(step) ? ' inner' : ''}`}>
      <Icon name={ICONS[outcome]} size={16} />
      <span class="hidden-text">{outcome}: </span>
      <span class="soft place">{place}</span>
      <div>
        {label} {saw !== '' && <b class="saw">{saw}</b>}{' '}
        {outcome !== 'skipped' && <span class="soft">{tookText(tookMs)}</span>}
        {reason !== undefined && <span class="why">{reason}</span>}
        {differences.map(({ path, expected, received }) => (
          <span class="why">
            <code>{path}</code>: expected <ins>{expected}</ins>, received <del>{received}</del>
          </span>
        ))}
        {(request ? received : []).map((exchange) => (
          <details open={outcome === 'failed'}>
            <summary>Request and response</summary>
            <pre>{[...requestLines(exchange.asked), '', ...receivedLines(exchange)].join('\n')}</pre>
          </details>
        ))}
      </div>
    </li>
  )
}
