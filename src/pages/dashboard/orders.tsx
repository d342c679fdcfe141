/** The first page: problems, every order with the worst that happened to it, and one order in full next to the list. */
import { counted } from '../../spec/contract/counted.ts'
import { cents, fromMajor, moneyText } from '../../spec/contract/money.ts'
import { NOTHING_TO_JUDGE } from '../../tester/audit/show.ts'
import type { ShownOrder } from '../../tester/control/orders.ts'
import { doneTo } from '../../tester/story/sentences.ts'
import { MoneyText, Notice, Terms } from '../blocks.tsx'
import { Action, Copied, Id, Knob, Section, State, TimeCell } from './blocks.tsx'
import { LabeledField } from './fields.tsx'
import { DashboardFrame } from './frame.tsx'
import { Happened, happenedTo } from './happened.tsx'
import { List } from './list.tsx'
import { Pager } from './list-frame.tsx'
import { SentenceNotices } from './order-sentences.tsx'
import { chosenOf, type PageRequest, pageRoute, ROWS_SHOWN } from './page-request.ts'
import { FirstRequest } from './requests.tsx'
import { stateTone } from './state-tones.ts'
import { untilText } from './text.ts'
import type { View } from './view.ts'

const DUE_GROUPS = 6
/** The headline names this many orders and counts the rest. */
const NAMED = 3

function load({ c, control }: PageRequest) {
  const { browse } = control
  const { order: id, cursor } = chosenOf(c, ['order', 'cursor'])
  return {
    id,
    cursor,
    orders: browse.orders({ cursor, limit: ROWS_SHOWN }),
    wrong: { doubled: browse.doubled(), audit: browse.auditCounts() },
    opened: id === undefined ? undefined : opened(control, id),
    description: control.describe(),
    due: browse.due(DUE_GROUPS),
  }
}

/** The data of an order; undefined for an unknown id. */
function opened(control: PageRequest['control'], id: string) {
  const order = control.browse.order(id)
  return order && { order, ...happenedTo(control, id) }
}

type Data = ReturnType<typeof load>

function view(view: View, data: Data) {
  const { orders, id, opened, cursor } = data
  // An opened order of another page of the list is below its rows.
  const isListed = orders.data.some((order) => order.id === opened?.order.id)
  const rows = opened && !isListed ? [...orders.data, opened.order] : orders.data
  return (
    <DashboardFrame
      view={view}
      title={opened ? `Order ${opened.order.name}` : 'Orders'}
      heading="Orders"
      isLive={!cursor}
      list="list"
    >
      {id !== undefined && !opened && (
        <Notice tone="warn">
          <p>
            No order <code>{id}</code> is here: the id is wrong, or a reset or an older snapshot removed it.{' '}
            <a href={orderAddress(view, undefined, undefined)}>All orders</a>
          </p>
        </Notice>
      )}
      <Headline view={view} {...data.wrong} isEmpty={orders.data.length === 0} />
      <div class={opened ? 'columns inspecting' : 'columns'}>
        <div class="stack">
          <div id="list" tabindex={-1}>
            {orders.data.length === 0 ? (
              <FirstRequest view={view} title="No orders yet" />
            ) : (
              <OrderList view={view} rows={rows} opened={opened?.order.id} cursor={cursor} />
            )}
          </div>
          <Pager view={view} page="" cursor={cursor} next={orders.nextCursor} things="orders" />
        </div>
        {opened ? (
          <Inspector view={view} {...opened} cursor={cursor} />
        ) : (
          <div class="aside">
            <Connect view={view} description={data.description} isOpen={orders.data.length === 0} />
            <DueSection view={view} due={data.due} />
            <ClockSection view={view} />
          </div>
        )}
      </div>
    </DashboardFrame>
  )
}

export const ordersPage = pageRoute({ path: '', load, view })

/** The address of the list with an order opened next to it. */
const orderAddress = ({ links }: View, id: string | undefined, cursor: string | undefined) =>
  links.page('', { ...(cursor && { cursor }), ...(id && { order: id }) })

type HeadlineProps = Data['wrong'] & { view: View; isEmpty: boolean }

/** The problems in the sandbox, each linked. Empty for an empty sandbox. */
function Headline({ view, doubled, audit, isEmpty }: HeadlineProps) {
  const { links, troubled } = view
  const webhooks = [
    [troubled.failing, 'failing', 'failing'],
    [troubled.givenUp, 'given up', 'given-up'],
  ] as const
  const tooMuch = cents(doubled.reduce((sum, { tooMuch }) => sum + fromMajor(tooMuch!), 0))
  const ways = new Set(
    doubled.map(({ movedAgain }) => doneTo(movedAgain.flatMap((move) => [move, move.first]))),
  )
  const names = [...new Set(doubled.map(({ order }) => order))]
  const who = names.length > NAMED ? counted(names.length, 'order') : names.join(', ')
  const order = doubled.length === 1 ? doubled[0]!.rows[0] : undefined
  const parts = [
    {
      count: doubled.length,
      text: `${who}: ${moneyText(tooMuch, links.currency)} ${ways.size === 1 ? [...ways][0] : 'moved'} twice`,
      href: order ? orderAddress(view, order, undefined) : links.page('audit'),
    },
    ...webhooks.map(([{ count }, is, delivery]) => ({
      count,
      text: `${counted(count, 'webhook')} ${is}`,
      href: links.page('webhooks', { delivery }),
    })),
    ...(['error', 'warning'] as const).map((kind) => {
      const count = audit[`${kind}s`]
      return { kind, count, text: `${counted(count, `audit ${kind}`)}`, href: links.page('audit') }
    }),
  ].filter(({ count }) => count > 0)
  const isWarning = parts.every((part) => 'kind' in part && part.kind === 'warning')
  if (parts.length === 0)
    return isEmpty ? null : (
      <Notice tone={audit.requests > 0 ? 'good' : 'plain'}>
        <p>{audit.requests > 0 ? 'All is well' : NOTHING_TO_JUDGE}.</p>
      </Notice>
    )
  return (
    <Notice tone={doubled.length > 0 ? 'bad' : isWarning ? 'plain' : 'warn'}>
      <p class="headline">
        {parts.map(({ text, href }, index) => (
          <>
            {index > 0 && ' · '}
            <a href={href}>{text}</a>
          </>
        ))}
      </p>
    </Notice>
  )
}

interface OrderListProps {
  view: View
  rows: readonly ShownOrder[]
  opened: string | undefined
  cursor: string | undefined
}

function OrderList({ view, rows, opened, cursor }: OrderListProps) {
  return (
    <List
      name="Orders"
      look="orders"
      rows={rows}
      idOf={({ id }) => id}
      atOf={({ at }) => at}
      columns={[
        {
          label: 'order',
          class: 'wide cut',
          cell: ({ id, name, buyer }) => (
            <a
              class="plain"
              href={orderAddress(view, id, cursor)}
              title={`${name} · ${buyer}`}
              aria-current={id === opened ? 'true' : undefined}
            >
              <b>{name}</b>
              {buyer !== name && <span class="soft"> · {buyer}</span>}
            </a>
          ),
        },
        {
          label: 'amount',
          class: 'number',
          cell: ({ amount }) => <MoneyText amount={amount} currency={view.links.currency} />,
        },
        { label: 'states', class: 'wide', cell: (order) => <Life order={order} /> },
        {
          label: 'problem',
          cell: ({ worst }) => worst && <span class={`chip ${worst.tone}`}>{worst.text}</span>,
        },
        { label: 'time', class: 'none', cell: ({ at }) => <TimeCell at={at} /> },
      ]}
    />
  )
}

/** The states of an order as points on a line; the last one in words. */
function Life({ order: { life } }: { order: ShownOrder }) {
  const words = life.map(({ state }) => state)
  return (
    <span class="life" title={words.join(', ')}>
      {life.map(({ state }) => (
        <i class={stateTone(state)} aria-hidden="true" />
      ))}
      <span class="hidden-text">{words.slice(0, -1).join(', ')}</span> {words.at(-1)}
    </span>
  )
}

// One order

type InspectorProps = NonNullable<Data['opened']> & { view: View; cursor: string | undefined }

function Inspector(props: InspectorProps) {
  const { view, order, sentences, cursor } = props
  const { links } = view
  const { id, name, buyer, amount, refunded, life } = order
  return (
    <section class="inspector" aria-label={`Order ${name}`}>
      <header class="title">
        <div>
          <h2>
            {name} · <MoneyText amount={amount} currency={links.currency} />
          </h2>
          <p class="soft">
            {buyer} · <Id id={id} links={links} />
          </p>
        </div>
        <Knob to={links.any(id)}>Open</Knob>
        <a class="knob bare" href={orderAddress(view, undefined, cursor)}>
          Close
        </a>
      </header>
      <div class="stack">
        <SentenceNotices links={links} sentences={sentences} />
        <p class="wrap">
          {life.map(({ state }) => (
            <State name={state} />
          ))}
          {refunded > 0 && <span class="soft">{moneyText(refunded, links.currency)} of it refunded</span>}
        </p>
        <Happened {...props} />
      </div>
    </section>
  )
}

// Beside the list

function DueSection({ view, due: { groups, inAll } }: Pick<Data, 'due'> & { view: View }) {
  const now = Date.parse(view.clock.now)
  const others = inAll - groups.reduce((sum, { count }) => sum + count, 0)
  return (
    <Section
      title="Due next"
      count={inAll}
      none={
        groups.length === 0 &&
        'Nothing. Pending refunds, webhook retries and delayed requests are listed here.'
      }
    >
      <ol class="due">
        {groups.map(({ what, count, resourceId, at }) => (
          <li>
            <a class="plain" href={view.links.any(resourceId)}>
              {what} {count > 1 ? <b>×{count}</b> : view.links.named(resourceId)}
            </a>
            <span class="soft">{at === null ? 'on request' : untilText(at, now)}</span>
          </li>
        ))}
        {others > 0 && <li class="soft">and {others.toLocaleString('en-US')} of other kinds or later</li>}
      </ol>
    </Section>
  )
}

function ClockSection({ view }: { view: View }) {
  return (
    <Section title="Move the clock">
      <Action view={view} action="clock" label="Advance">
        <LabeledField label="By" placeholder="2d, 1h30m, 250ms" required {...corrected(view, 'advance')} />
      </Action>
      <Action view={view} action="clock" label="Set">
        <LabeledField label="To" required {...corrected(view, 'set', view.clock.now)} />
      </Action>
      <Action view={view} action="settle" label="Wait until nothing is due" />
    </Section>
  )
}

/** A refused text stays in its field, to be corrected. */
function corrected({ notice }: View, name: string, value?: string) {
  const refused = notice?.refused?.[name]
  return refused === undefined ? { name, value } : { name, value: String(refused), problem: notice?.text }
}

/** How to reach the sandbox: unfolded until the first request arrives. */
function Connect(props: { view: View; description: Data['description']; isOpen: boolean }) {
  const { view, description, isOpen } = props
  const { apiKey, signingSecret, webhook } = description
  return (
    <details open={isOpen}>
      <summary>
        <b>Connect</b>
      </summary>
      <Terms
        terms={[
          ['Base URL', <code>{view.base}/v1</code>],
          ['x-api-key', <Copied text={apiKey} />],
          [
            'Webhook URL',
            webhook ? <code>{webhook.url}</code> : <a href={view.links.page('webhooks')}>not set</a>,
          ],
          ['Signing secret', <Copied text={signingSecret} />],
        ]}
      />
    </details>
  )
}
