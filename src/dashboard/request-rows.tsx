/** Requests in a list: the request, its status, and what was unusual about it. */
import type { RequestSummary } from '../control/shapes.ts'
import { StatusBadge } from './blocks.tsx'
import type { Links } from './links.ts'
import { shortId, timeText } from './text.ts'

type RowsProps = { requests: readonly RequestSummary[]; links: Links; pick?: boolean }

/** Newest first. */
export function RequestRows({ requests, links, pick = false }: RowsProps) {
  return (
    <>
      {requests.map((request) => (
        <RequestRow request={request} links={links} pick={pick} />
      ))}
    </>
  )
}

function RequestRow({ request, links, pick }: { request: RequestSummary; links: Links; pick: boolean }) {
  const { id, arrivedAt, method, target, status, fault, durationMs } = request
  return (
    <li class={pick ? 'request pick' : 'request'} data-id={id}>
      {pick && <input type="checkbox" name="id" value={id} aria-label={`Select ${id}`} />}
      <StatusBadge status={status} fault={fault} />
      <a class="target" href={links.request(id)}>
        <b>{method}</b> <Target target={target} />
      </a>
      <span class="marks">
        {marksOf(request).map(({ text, tone }) => (
          <span class={`chip ${tone}`}>{text}</span>
        ))}
      </span>
      <time class="when" datetime={arrivedAt} title={arrivedAt}>
        {timeText(Date.parse(arrivedAt))}
      </time>
      <span class="took">{durationMs === null ? 'under way' : `${durationMs.toFixed(1)} ms`}</span>
    </li>
  )
}

/** A path with short ids, which may break before each segment. */
function Target({ target }: { target: string }) {
  return target.split('/').map((part, index) => (
    <>
      {index > 0 && '/'}
      {index > 1 && <wbr />}
      {shortId(part)}
    </>
  ))
}

/** Marks of a request that did not simply run and succeed. */
export function marksOf({
  status,
  verdict,
  fired,
  fault,
  step,
}: RequestSummary): { text: string; tone: string }[] {
  const marks: { text: string; tone: string }[] = []
  if (verdict === 'replayed') marks.push({ text: 'replayed', tone: 'way' })
  // A behavior that answered instead of the operation is named below.
  if (status !== null && status >= 400 && (step !== 'behaviors' || fired.length === 0))
    marks.push({ text: `refused: ${step}`, tone: status >= 500 ? 'bad' : 'wait' })
  if (fault !== null) marks.push({ text: fault, tone: 'bad' })
  for (const behavior of fired) marks.push({ text: behavior, tone: 'event' })
  return marks
}
