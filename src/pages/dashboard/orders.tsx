/** The first page: problems, every order with the worst that happened to it, and one order in full next to the list. */
import { counted } from '../../spec/contract/counted.ts'
import { fromMajor, moneyText } from '../../spec/contract/money.ts'
import { LEDGER_KINDS } from '../../spec/contract/resources/ledger.ts'
import { NOTHING_TO_JUDGE } from '../../tester/audit/show.ts'
import type { Browse } from '../../tester/control/browse.ts'
import type { SandboxControl } from '../../tester/control/control.ts'
import type { OpenedOrder, ShownOrder } from '../../tester/control/orders.ts'
import { MoneyText, Notice, Terms } from '../blocks.tsx'
import { Action, ActionField, Id, Knob, Section, Snippet, State, stateTone, TimeCell } from './blocks.tsx'
import { DashboardFrame } from './frame.tsx'
import { Happened, type HappenedProps, happenedTo } from './happened.tsx'
import { List } from './list.tsx'
import { Pager } from './list-page.tsx'
import { SentenceNotices } from './order-sentences.tsx'
import { chosenOf, ROWS_SHOWN, routeTo } from './page-request.ts'
import { FirstRequest } from './requests.tsx'
import { untilText } from './text.ts'
import type { View } from './view.ts'

const DUE_GROUPS = 6
/** The headline names this many orders and counts the rest. */
const NAMED = 3

export const ordersPage = routeTo('', ({ c, control, browse, view }) => {
  const { order: id, cursor } = chosenOf(c, ['order', 'cursor'])
  const orders = browse.orders({ cursor, limit: ROWS_SHOWN })
  const order = id === undefined ? undefined : browse.order(id)
  const opened = order && { order, ...happenedTo(browse, order.id) }
  // An opened order of another page of the list is below its rows.
  const isListed = orders.data.some((order) => order.id === opened?.order.id)
  const rows = opened && !isListed ? [...orders.data, opened.order] : orders.data
  const page = (
    <DashboardFrame
      view={view}
      title={opened ? `Order ${opened.order.name}` : 'Orders'}
      heading="Orders"
      isLive={!cursor}
      content="list"
    >
      {id !== undefined && !opened && (
        <Notice tone="wait">
          <p>
            No order <code>{id}</code> is here: the id is wrong, or a reset or an older snapshot removed it.{' '}
            <a href={orderAddress(view, undefined, undefined)}>All orders</a>
          </p>
        </Notice>
      )}
      <Headline view={view} browse={browse} isEmpty={orders.data.length === 0} />
      <div class="columns">
        <div class="stack">
          <div id="list" tabindex={-1}>
            {orders.data.length === 0 ? (
              <Notice>
                <b>No orders yet</b>
                <FirstRequest view={view} />
              </Notice>
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
            <Connect view={view} control={control} isOpen={orders.data.length === 0} />
            <DueSection view={view} due={browse.due(DUE_GROUPS)} />
            <ClockSection view={view} />
          </div>
        )}
      </div>
    </DashboardFrame>
  )
  return { page }
})

/** The address of the list with an order opened next to it. */
const orderAddress = ({ links }: View, id: string | undefined, cursor: string | undefined) =>
  links.page('', { ...(cursor && { cursor }), ...(id && { order: id }) })

/** The problems in the sandbox, each linked. Empty for an empty sandbox. */
function Headline({ view, browse, isEmpty }: { view: View; browse: Browse; isEmpty: boolean }) {
  const { links, troubled } = view
  const [doubled, audit] = [browse.audit.doubled(), browse.audit.counts()]
  const named = doubled.slice(0, NAMED).map(({ order, rows: [row], tooMuch, worst }) => ({
    text: `${order}: ${moneyText(fromMajor(tooMuch!), links.currency)} ${worst}`,
    href: row === undefined ? links.page('audit') : orderAddress(view, row, undefined),
  }))
  /** The page with so many problems, if there are any. */
  const some = (count: number, text: string, page: string, query = {}) =>
    count > 0 ? [{ text, href: links.page(page, query) }] : []
  const webhooks = (count: number, is: string, delivery: string) =>
    some(count, `${counted(count, 'webhook')} ${is}`, 'webhooks', { delivery })
  const audited = (count: number, what: string) => some(count, counted(count, what), 'audit')
  const failures = [
    ...named,
    ...audited(doubled.length - NAMED, 'more order'),
    ...webhooks(troubled.failing.count, 'failing', 'failing'),
    ...webhooks(troubled.givenUp.count, 'given up', 'given-up'),
    ...audited(audit.errors, 'audit error'),
  ]
  const problems = [...failures, ...audited(audit.warnings, 'audit warning')]
  if (problems.length === 0)
    return isEmpty ? null : (
      <Notice tone={audit.requests > 0 ? 'good' : 'plain'}>
        <p>{audit.requests > 0 ? 'All is well' : NOTHING_TO_JUDGE}.</p>
      </Notice>
    )
  return (
    <Notice tone={named.length > 0 ? 'bad' : failures.length > 0 ? 'wait' : 'plain'}>
      <p>
        {problems.map(({ text, href }, index) => (
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

type InspectorProps = HappenedProps & { order: OpenedOrder; cursor: string | undefined }

function Inspector(props: InspectorProps) {
  const { view, order, sentences, cursor } = props
  const { links } = view
  const { id, name, buyer, amount, returns, life } = order
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
          {returns.map(({ kind, amount }) => (
            <span class="soft">
              {moneyText(amount, links.currency)} of it {LEDGER_KINDS[kind].sum}
            </span>
          ))}
        </p>
        <Happened {...props} />
      </div>
    </section>
  )
}

// Beside the list

function DueSection({ view, due: { groups, inAll } }: { view: View; due: ReturnType<Browse['due']> }) {
  const now = Date.parse(view.clock.now)
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
      </ol>
    </Section>
  )
}

function ClockSection({ view }: { view: View }) {
  return (
    <Section title="Move the clock">
      <Action view={view} action="clock.advance" label="Advance">
        <ActionField name="advance" label="By" placeholder="2d, 1h30m, 250ms" required />
      </Action>
      <Action view={view} action="clock.set" label="Set">
        <ActionField name="set" label="To" required value={view.clock.now} />
      </Action>
      <Action view={view} action="settle" label="Wait until nothing is due" />
    </Section>
  )
}

/** How to reach the sandbox: unfolded until the first request arrives. */
function Connect({ view, control, isOpen }: { view: View; control: SandboxControl; isOpen: boolean }) {
  const { apiKey, signingSecret, webhook } = control.describe()
  return (
    <details open={isOpen}>
      <summary>
        <b>Connect</b>
      </summary>
      <Terms
        terms={[
          ['Base URL', <code>{view.base}/v1</code>],
          ['x-api-key', <Snippet text={apiKey} label="API key" />],
          [
            'Webhook URL',
            webhook ? <code>{webhook.url}</code> : <a href={view.links.page('webhooks')}>not set</a>,
          ],
          ['Signing secret', <Snippet text={signingSecret} label="Signing secret" />],
        ]}
      />
    </details>
  )
}
