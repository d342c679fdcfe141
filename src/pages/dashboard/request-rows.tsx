/** Requests in a list: the request, its status, and anything unusual about it. */
import { tookText } from '../../spec/contract/duration.ts'
import { fromMajor, moneyText } from '../../spec/contract/money.ts'
import type { RequestSummary } from '../../tester/control/shapes.ts'
import { lossText, StatusBadge, TargetPath, TimeCell } from './blocks.tsx'
import type { Links } from './links.ts'
import { List } from './list.tsx'
import { tailOf } from './text.ts'

interface RequestListProps {
  requests: readonly RequestSummary[]
  links: Links
  /** For each request that moved money again, by its id: how, in a few words. */
  doubled?: ReadonlyMap<string, string>
  /** Whether the rows have their days as headings. */
  isPage?: boolean
}

export function RequestList({ requests, links, doubled, isPage = false }: RequestListProps) {
  return (
    <List
      name="Requests"
      rows={requests}
      idOf={({ id }) => id}
      atOf={isPage ? ({ arrivedAt }) => arrivedAt : undefined}
      columns={[
        {
          label: 'status',
          class: 'whole',
          cell: ({ id, status, fault }) => (
            <StatusBadge status={status} fault={fault} isBad={doubled?.has(id) ?? false} />
          ),
        },
        { label: 'order', class: 'wide', cell: (request) => <OrderOf request={request} links={links} /> },
        {
          label: 'request',
          class: 'long',
          cell: ({ id, method, target }) => (
            <a class="plain" href={links.any(id)}>
              <b>{method}</b> <TargetPath target={target} links={links} />
            </a>
          ),
        },
        {
          label: 'remarks',
          class: 'long',
          cell: (request) => <Remarks request={request} again={doubled?.get(request.id)} />,
        },
        { label: 'time', cell: ({ arrivedAt }) => <TimeCell at={arrivedAt} /> },
        {
          label: 'took',
          class: 'number soft none',
          cell: ({ durationMs, fault }) =>
            durationMs === null ? (fault === null ? 'in flight' : '') : tookText(durationMs),
        },
      ]}
    />
  )
}

function Remarks({ request, again }: { request: RequestSummary; again: string | undefined }) {
  const { message, key } = request
  const marks = marksOf(request, message !== null)
  if (message === null && key === null && again === undefined && marks.length === 0) return null
  return (
    <div class="wrap">
      {message !== null && <span>{message}</span>}
      {key !== null && (
        <span class="soft" title={`Idempotency-Key ${key}`}>
          key {tailOf(key)}
        </span>
      )}
      {again !== undefined && <span class="chip bad">{again}</span>}
      {marks.map(({ text, tone }) => (
        <span class={`chip ${tone}`}>{text}</span>
      ))}
    </div>
  )
}

/** `order-7 · $49.95` */
function OrderOf({ request, links }: { request: RequestSummary; links: Links }) {
  const { orderId, amount, subject } = request
  const order = orderId ?? (subject === null ? undefined : links.orderName(subject))
  const money = amount === null ? undefined : amountText(amount, links.currency)
  return (
    <>
      {order !== undefined && <b>{order}</b>}
      {order !== undefined && money !== undefined && ' · '}
      {money}
    </>
  )
}

/** As the platform wrote it, if it is not an amount. */
const amountText = (amount: number, currency: string): string =>
  Number.isInteger(Math.round(amount * 1e6) / 1e4) ? moneyText(fromMajor(amount), currency) : String(amount)

/** The marks of a request that did not simply run and succeed. `isTold`: the message of its error is shown next to them. */
export function marksOf(
  { status, verdict, fired, fault, step, stub }: RequestSummary,
  isTold = false,
): { text: string; tone: string }[] {
  const marks: { text: string; tone: string }[] = []
  if (stub !== null) marks.push({ text: stub === 'forwarded' ? 'asked real staging' : 'stub', tone: 'way' })
  if (verdict === 'replayed') marks.push({ text: 'replayed', tone: 'way' })
  // A behavior that answered instead of the operation is named below.
  if (!isTold && status !== null && status >= 400 && (step !== 'behaviors' || fired.length === 0))
    marks.push({ text: `refused: ${step}`, tone: 'wait' })
  if (fault !== null) marks.push({ text: lossText(fault), tone: 'wait' })
  for (const behavior of fired) marks.push({ text: behavior, tone: 'event' })
  return marks
}
