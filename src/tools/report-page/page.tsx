/** What the page of `paysim run --report html=FILE` shows of each scenario: the dashboard's timeline, with every request and answer. */

import { TimeCell } from '../../pages/dashboard/blocks.tsx'
import { buildTimeline } from '../../pages/dashboard/build-timeline.ts'
import { Tries } from '../../pages/dashboard/events.tsx'
import { JsonView } from '../../pages/dashboard/json-text.tsx'
import type { Links } from '../../pages/dashboard/links.ts'
import { shortId } from '../../pages/dashboard/text.ts'
import { TimelineList } from '../../pages/dashboard/timeline.tsx'
import type { Timeline } from '../../pages/dashboard/timeline-model.ts'
import { Icon } from '../../pages/icons.tsx'
import { sentenceOfUnfired } from '../../sandbox/scenario-file/unfired-sentence.ts'
import { contractOf } from '../../spec/contract/contract.ts'
import { tookText } from '../../spec/contract/duration.ts'
import { PAGE_MAX_ROWS } from '../../spec/contract/limits.ts'
import { htmlReport } from '../checks/page.tsx'
import { runReport } from '../player/report.ts'
import { type FileResult, isInner, isShown, type StepResult, skippedText } from '../player/result.ts'
import { ExchangeDetails, exchangesOf, momentOf, type ShownExchange } from './exchanges.tsx'

export const reportPage = (results: readonly FileResult[]): string =>
  htmlReport(runReport(results), (_, { index, anchor }) => (
    <ScenarioResult result={results[index]!} anchor={anchor} />
  ))

/** Such as `1.2 s, 3 of 4 steps were skipped`. */
const aboutResult = (result: FileResult): string =>
  [tookText(result.tookMs), skippedText([result])].filter((text) => text !== undefined).join(', ')

function ScenarioResult({ result, anchor }: { result: FileResult; anchor: string }) {
  const { file, outcome, reason, steps, unfired, record, seed } = result
  const exchanges = exchangesOf(result)
  const links = anchorLinks(anchor, exchanges, result)
  const timeline = timelineOfResult(result, exchanges)
  return (
    <>
      <p class="soft">
        <code>{file}</code>
        {outcome !== 'skipped' && `, ${aboutResult(result)}`}
        {seed !== undefined && `, drawn with --seed ${seed}`}
      </p>
      {outcome !== 'passed' && reason !== undefined && <p class={`reason ${outcome}`}>{reason}</p>}
      {unfired.map((one) => (
        <p class="reason failed">{sentenceOfUnfired(one)}</p>
      ))}
      {steps.length > 0 && (
        <>
          <h3>Steps</h3>
          <ol class="steps-played">
            {steps.filter(isShown).map((step) => (
              <StepLine step={step} of={anchor} />
            ))}
          </ol>
        </>
      )}
      {timeline.moments.length > 0 && (
        <>
          <h3>Timeline</h3>
          <TimelineList timeline={timeline} links={links} />
          <h3>Requests and answers</h3>
          {record?.requests.length === PAGE_MAX_ROWS && (
            <p class="soft">Of the sandbox's journal, the latest {PAGE_MAX_ROWS}.</p>
          )}
          {exchanges.map((exchange) => (
            <ExchangeDetails exchange={exchange} anchor={links.any(exchange.id).slice(1)} links={links} />
          ))}
        </>
      )}
      {record && record.events.length > 0 && (
        <>
          <h3>Events and their deliveries</h3>
          {record.events.map((event) => (
            <details class="exchange">
              <summary>
                <b>{[links.orderName(event.data.id) ?? [], event.type].flat().join(' · ')}</b>{' '}
                <code>{links.short(event.data.id)}</code>
                {record.deliveries
                  .filter(({ eventId }) => eventId === event.id)
                  .map((delivery) => (
                    <Tries delivery={delivery} now={event.timestamp} />
                  ))}
                <TimeCell at={event.timestamp} />
              </summary>
              <div class="stack" id={links.any(event.id).slice(1)}>
                <JsonView text={event.body} links={links} label={`Body of ${links.any(event.id).slice(1)}`} />
              </div>
            </details>
          ))}
        </>
      )}
    </>
  )
}

function timelineOfResult({ record }: FileResult, exchanges: readonly ShownExchange[]): Timeline {
  if (record) return buildTimeline({ subject: null, ...record })
  return { subject: null, moments: exchanges.map(momentOf) }
}

/** The dashboard's links as links within the page. `anchor`: of the scenario, where a link leads whose own part is not on the page. */
function anchorLinks(
  anchor: string,
  exchanges: readonly ShownExchange[],
  { record, profile }: FileResult,
): Links {
  const { ids } = contractOf(profile)
  const places = new Map<string, string>()
  for (const { id, explained } of exchanges) {
    places.set(id, id)
    // A link to a resource leads to the request that made it.
    for (const { resourceId } of explained?.events ?? [])
      if (!places.has(resourceId)) places.set(resourceId, id)
  }
  const names = new Map<string, string>()
  for (const { id, data } of record?.events ?? []) {
    const name = data.orderId ?? names.get(String(data.checkoutId ?? data.authorizationId))
    if (typeof name === 'string') names.set(data.id, name)
    places.set(id, id)
    if (!places.has(data.id)) places.set(data.id, id)
  }
  for (const { id, eventId } of record?.deliveries ?? []) places.set(id, eventId)
  const to = (id: string) => {
    const place = places.get(id)
    return place === undefined ? `#${anchor}` : `#${anchor}-${place}`
  }
  const short = (id: string) => shortId(id, ids)
  return {
    any: to,
    beside: to,
    page: () => `#${anchor}`,
    isId: ids.isId,
    short,
    orderName: (id) => names.get(id),
    named: (id) => names.get(id) ?? short(id),
  }
}

const ICONS = { passed: 'check', failed: 'cross', skipped: 'pause' } as const

function StepLine({ step, of: scenario }: { step: StepResult; of: string }) {
  const { place, label, outcome, saw, reason, tookMs, differences, expected } = step
  return (
    <li class={`${outcome}${isInner(step) ? ' inner' : ''}`}>
      <Icon name={ICONS[outcome]} size={16} />
      <span class="hidden-text">{outcome}: </span>
      <span class="soft place">{place}</span>
      <span>
        {label} {saw !== '' && <b class="saw">{saw}</b>}{' '}
        {outcome !== 'skipped' && <span class="soft">{tookText(tookMs)}</span>}
        {reason !== undefined && <span class="why">{reason}</span>}
        {differences.map(({ path, expected: wanted, received }) => (
          <span class="why">
            <code>{path}</code>: expected <ins>{wanted}</ins>, received <del>{received}</del>
          </span>
        ))}
        {outcome === 'failed' && expected !== undefined && (
          <>
            <span class="soft expected">expected</span>
            <JsonView text={JSON.stringify(expected)} label={`Expected of step ${place}, ${scenario}`} />
          </>
        )}
      </span>
    </li>
  )
}
