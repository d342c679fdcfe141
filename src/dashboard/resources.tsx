/** Resources: what states they can be in, which there are, and one of them with everything that belongs to it. */
import { EVENT_TYPES } from '../contract/event.ts'
import { fromMajor } from '../contract/money.ts'
import type { FoundResource } from '../control/lookup.ts'
import type { Overview } from '../control/overview.ts'
import type { Delivery, Message, RequestSummary } from '../control/shapes.ts'
import { Money } from '../pages/blocks.tsx'
import { Action, Empty, Id, Labeled, Section, State, type Term, Terms, TimeCell } from './blocks.tsx'
import { EventRows, type TesterEvent } from './events.tsx'
import { DashboardFrame } from './frame.tsx'
import { columnsOf, filtersOf, KINDS, type Kind, kindOf } from './kinds.ts'
import type { Links } from './links.ts'
import { MessageList } from './outbox.tsx'
import { RequestRows } from './request-rows.tsx'
import { StateDiagram } from './state-diagram-svg.tsx'
import type { View } from './view.ts'

// All kinds

export function KindsPage({ view, overview }: { view: View; overview: Overview }) {
  return (
    <DashboardFrame view={view} title="Resources">
      <h1>Resources</h1>
      <p class="soft">
        Every resource moves from state to state by these moves and no others. A state leads to those that are
        in it.
      </p>
      <div class="kinds">
        {KINDS.map((kind) => (
          <KindCard view={view} kind={kind} counts={overview.counts[kind.name]} />
        ))}
      </div>
    </DashboardFrame>
  )
}

function KindCard({
  view,
  kind,
  counts,
}: {
  view: View
  kind: Kind
  counts: Readonly<Record<string, number>>
}) {
  const { page, title, moves, one, teaches } = kind
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0)
  return (
    <Section
      title={title}
      count={all}
      aside={
        page && (
          <a class="more" href={view.links.page(`resources/${page}`)}>
            List<span class="hidden-text"> of {title}</span>
          </a>
        )
      }
    >
      <p class="soft">{teaches}</p>
      {moves && <StateDiagram name={`a ${one.toLowerCase()}`} moves={moves} />}
      {moves && all > 0 && (
        <p class="wrap">
          {Object.entries(counts).map(([state, count]) =>
            page ? (
              <a class="plain" href={view.links.page(`resources/${page}`, { status: state })}>
                <State name={`${count} ${state}`} tone={state} />
              </a>
            ) : (
              <State name={`${count} ${state}`} tone={state} />
            ),
          )}
        </p>
      )}
    </Section>
  )
}

// One kind

export type ResourceRow = { id: string } & Record<string, unknown>

export interface ListProps {
  view: View
  kind: Kind
  rows: readonly ResourceRow[]
  query: Readonly<Record<string, string>>
  nextCursor: string | null
}

export function ListPage({ view, kind, rows, query, nextCursor }: ListProps) {
  const { cursor, ...filter } = query
  const { title, page = '', teaches } = kind
  const place = `resources/${page}`
  const filtered = Object.keys(filter).length > 0
  return (
    <DashboardFrame view={view} title={title}>
      <nav class="tabs" aria-label="Kinds">
        {KINDS.flatMap(({ page: other, title: name }) =>
          other ? (
            <a
              href={view.links.page(`resources/${other}`)}
              aria-current={other === page ? 'page' : undefined}
            >
              {name}
            </a>
          ) : (
            []
          ),
        )}
      </nav>
      <h1>{title}</h1>
      <form class="filter" action={view.links.page(place)}>
        {filtersOf(kind).map(({ name, options }) => (
          <Labeled label={name}>
            {options ? (
              <select name={name}>
                <option value="">any</option>
                {options.map((option) => (
                  <option value={option} selected={query[name] === option}>
                    {option}
                  </option>
                ))}
              </select>
            ) : (
              <input class="text" name={name} value={query[name]} />
            )}
          </Labeled>
        ))}
        <button class="knob" type="submit">
          Filter
        </button>
        {filtered && (
          <a class="knob bare" href={view.links.page(place)}>
            Clear
          </a>
        )}
      </form>
      {rows.length === 0 ? (
        <Empty title={filtered ? 'None is like that' : `There are no ${title.toLowerCase()} yet`}>
          <p>{teaches}</p>
        </Empty>
      ) : (
        <ResourceTable rows={rows} columns={columnsOf(kind)} links={view.links} name={title} />
      )}
      {nextCursor && (
        <p>
          <a class="knob" href={view.links.page(place, { ...filter, cursor: nextCursor })}>
            Earlier ones
          </a>
        </p>
      )}
    </DashboardFrame>
  )
}

type TableProps = { rows: readonly ResourceRow[]; columns: readonly string[]; links: Links; name: string }

export function ResourceTable({ rows, columns, links, name }: TableProps) {
  return (
    <table class="list" aria-label={name}>
      <thead>
        <tr>
          {columns.map((column) => (
            <th scope="col">{column}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr>
            {columns.map((column) => (
              <td data-label={column} class={classOf(row[column])}>
                <Value name={column} value={row[column]} links={links} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Where there is little room, what is not there is not shown, and what is long has a line of its own. */
const classOf = (value: unknown): string | undefined =>
  value === null || value === undefined
    ? 'none'
    : typeof value === 'string' && value.length > 60
      ? 'long'
      : undefined

/** A value as what it is: a state, an amount, a time, a way to something else, or text. */
function Value({
  name,
  value,
  links,
  whole = false,
}: {
  name: string
  value: unknown
  links: Links
  whole?: boolean
}) {
  if (value === null || value === undefined) return <span class="soft">–</span>
  if (name === 'status') return <State name={String(value)} />
  if (typeof value === 'number') return <Money amount={fromMajor(value)} />
  if (name.endsWith('At')) return <TimeCell at={String(value)} date={whole} />
  if (name === 'id' || (name.endsWith('Id') && /^(chk|auth|ref|cus|pm)_/.test(String(value)))) {
    return <Id id={String(value)} links={links} whole={whole} />
  }
  if (name === 'checkoutUrl') return <a href={String(value)}>{String(value)}</a>
  if (typeof value === 'object') return <span>{Object.values(value).join(' ')}</span>
  return <span>{String(value)}</span>
}

// One resource

/** What points at it, by the list that it is in. */
export interface Belonging {
  kind: Kind
  rows: readonly ResourceRow[]
}

export interface ResourceProps {
  view: View
  found: FoundResource
  belongings: readonly Belonging[]
  events: readonly TesterEvent[]
  deliveries: readonly Delivery[]
  requests: readonly RequestSummary[]
  messages: readonly Message[]
}

export function ResourcePage(props: ResourceProps) {
  const { view, found, belongings, events, deliveries, requests, messages } = props
  const kind = kindOf(found.name)
  const { resource } = found
  const status = typeof resource.status === 'string' ? resource.status : undefined
  return (
    <DashboardFrame view={view} title={`${kind.one} ${resource.id}`}>
      <header class="title">
        <div>
          <p class="soft">
            {kind.page ? <a href={view.links.page(`resources/${kind.page}`)}>{kind.title}</a> : kind.title}
          </p>
          <h1>
            <code>{resource.id}</code>
          </h1>
        </div>
        {status && <State name={status} />}
        <a class="knob main" href={view.links.page('timeline', { of: resource.id })}>
          Timeline
        </a>
        <a class="knob" href={view.links.page('requests', { resource: resource.id })}>
          Requests
        </a>
      </header>
      <div class="columns">
        <div class="stack">
          {kind.moves && (
            <StateDiagram name={`a ${kind.one.toLowerCase()}`} moves={kind.moves} present={status} />
          )}
          <Section title="Fields">
            <Terms terms={termsOf(resource, view.links)} />
          </Section>
          {belongings.map(({ kind: other, rows }) => (
            <Section title={other.title} count={rows.length}>
              {rows.length === 0 ? (
                <p class="soft">None.</p>
              ) : (
                <ResourceTable
                  rows={rows}
                  columns={columnsOf(other).filter(
                    (column) => !rows.every((row) => row[column] === resource.id || row[column] === null),
                  )}
                  links={view.links}
                  name={other.title}
                />
              )}
            </Section>
          ))}
          <Section title="Events" count={events.length}>
            <EventRows view={view} events={events} deliveries={deliveries} />
          </Section>
          {messages.length > 0 && (
            <Section title="Messages" count={messages.length}>
              <MessageList view={view} messages={messages} />
            </Section>
          )}
        </div>
        <div class="aside">
          <ResourceActions view={view} found={found} status={status} />
          <Section
            title="Requests"
            aside={
              <a class="more" href={view.links.page('requests', { resource: resource.id })}>
                All
              </a>
            }
          >
            {requests.length === 0 ? (
              <p class="soft">None that is still in the journal.</p>
            ) : (
              <ol class="rows narrow" reversed>
                <RequestRows requests={requests} links={view.links} />
              </ol>
            )}
          </Section>
        </div>
      </div>
    </DashboardFrame>
  )
}

function termsOf(resource: ResourceRow, links: Links): Term[] {
  return Object.entries(resource)
    .filter(([name]) => name !== 'id' && name !== 'status')
    .map(([name, value]) => ({ term: name, detail: <Value name={name} value={value} links={links} whole /> }))
}

function ResourceActions({
  view,
  found: { name, resource },
  status,
}: {
  view: View
  found: FoundResource
  status: string | undefined
}) {
  const { id } = resource
  return (
    <Section title="Steer">
      {name === 'checkout' && status === 'pending' && (
        <>
          <Action
            view={view}
            deed="approve"
            fields={{ id }}
            shown={{ method: 'card' }}
            label="Approve as the buyer"
            look="main"
          >
            <MethodChoice />
          </Action>
          <Action view={view} deed="decline" fields={{ id }} label="Decline the buyer" />
          <p class="soft">
            Or be the buyer: <a href={String(resource.checkoutUrl)}>open the hosted page</a>.
          </p>
        </>
      )}
      {name === 'customer' && (
        <Action view={view} deed="attach" fields={{ id }} shown={{ type: 'card' }} label="Attach">
          <Labeled label="Test method">
            <select name="type">
              <option value="card">card</option>
              <option value="bank_account">bank account</option>
            </select>
          </Labeled>
        </Action>
      )}
      {name === 'refund' && status === 'pending' && (
        <Action view={view} deed="complete" fields={{ id }} label="Complete it now" look="main" />
      )}
      <Emit view={view} name={name} id={id} />
    </Section>
  )
}

function MethodChoice() {
  return (
    <Labeled label="Paying with">
      <select name="method">
        <option value="card">card</option>
        <option value="bank_account">bank account</option>
      </select>
    </Labeled>
  )
}

function Emit({ view, name, id }: { view: View; name: string; id: string }) {
  const types = EVENT_TYPES.filter((type) => type.startsWith(`${name}.`))
  return (
    <Action
      view={view}
      deed="emit"
      fields={{ resourceId: id }}
      shown={{ type: types[0]! }}
      label="Tell again"
    >
      <Labeled label="Event">
        <select name="type">
          {types.map((type) => (
            <option>{type}</option>
          ))}
        </select>
      </Labeled>
    </Action>
  )
}
