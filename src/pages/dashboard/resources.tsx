/** Resources: one list for all kinds, and one page for each resource with everything that refers to it. */
import { listOfKind } from '../../spec/contract/endpoints.ts'
import { EVENT_TYPES } from '../../spec/contract/event.ts'
import { fromMajor } from '../../spec/contract/money.ts'
import type { Page } from '../../spec/contract/pages.ts'
import { TESTER_ACTS } from '../../spec/contract/resources/by-tester.ts'
import { PaymentMethodType } from '../../spec/contract/resources/payment-method.ts'
import type { ResourceRow } from '../../tester/control/resources.ts'
import type { FoundResource } from '../../tester/control/shapes.ts'
import { MoneyText, type Term, Terms } from '../blocks.tsx'
import { Action, ActionField, Id, Knob, OrderAndId, Section, State, TimeCell } from './blocks.tsx'
import { DashboardFrame } from './frame.tsx'
import { Happened, happenedTo } from './happened.tsx'
import { columnsOf, filtersOf, inputOf, KIND_OF, KINDS, type Kind } from './kinds.ts'
import type { Links } from './links.ts'
import { List } from './list.tsx'
import { listPage } from './list-page.tsx'
import { SentenceNotices } from './order-sentences.tsx'
import { inPath, type PageRequest, ROWS_SHOWN, routeTo } from './page-request.ts'
import { contractUnder, type View } from './view.ts'

/** Leads to the list of the first kind; its tabs lead to the others. */
export const kindsLink = routeTo('/resources', ({ view }) => ({ to: view.links.page('resources/checkouts') }))

/** The list of a kind, or one resource. */
export const resourcesPage = routeTo('/resources/:what', (request) => {
  const what = inPath(request.c, 'what')
  const kind = KINDS.find(({ page }) => page === what)
  return kind ? kindPage(request, kind) : onePage(request, what)
})

// One kind

function kindPage(request: PageRequest, kind: Kind) {
  const { c, control, browse, view } = request
  const { links } = view
  const contract = contractUnder(control)
  const maps = contract.addedFilters(kind.name).flatMap(({ name, type }) => (type === 'map' ? [name] : []))
  const inMaps = Object.keys(c.req.query()).filter((name) => maps.some((map) => name.startsWith(`${map}[`)))
  const columns = [...new Set([...columnsOf(kind), ...contract.added[kind.name].map(({ name }) => name)])]
  const { one, many, about } = kind.words
  return listPage(request, {
    title: many,
    page: `resources/${kind.page}`,
    thing: one.toLowerCase(),
    fields: [...filtersOf(kind, contract), ...inMaps.map((name) => ({ name, label: name }))],
    read(filter, cursor) {
      const where = Object.fromEntries(
        Object.entries(filter).map(([name, value]) => {
          const [, key, text = ''] = (maps.includes(name) && /^([^=]+)=(.*)$/s.exec(value)) || []
          return key ? [`${name}[${key}]`, text] : [name, value]
        }),
      )
      const asked = { ...where, ...(cursor && { cursor }), limit: String(ROWS_SHOWN) }
      const count = browse.countListed(kind.name, where)
      const page: Page<ResourceRow> = JSON.parse(control.read(listOfKind(kind.name), asked))
      return { ...page, count }
    },
    show: (rows) => <ResourceTable rows={rows} columns={columns} links={links} name={many} />,
    empty: <p>{about}</p>,
    intro: (
      <nav class="tabs" aria-label="Kinds">
        {KINDS.filter(({ page }) => page).map(({ page, words }) => (
          <a href={links.page(`resources/${page}`)} aria-current={page === kind.page ? 'page' : undefined}>
            {words.many}
          </a>
        ))}
      </nav>
    ),
  })
}

interface ResourceTableProps {
  /** Resources, or other rows of values with an id. */
  rows: readonly ResourceRow[]
  columns: readonly string[]
  links: Links
  name: string
}

export function ResourceTable({ rows, columns, links, name }: ResourceTableProps) {
  return (
    <List<ResourceRow>
      name={name}
      look="named"
      idOf={({ id }) => id}
      columns={columns.map((column) => ({
        label: column,
        cell: (row) =>
          column === 'of' || (column === 'id' && !columns.includes('orderId')) ? (
            <OrderAndId id={String(row[column])} links={links} />
          ) : (
            <Value name={column} value={row[column]} links={links} />
          ),
        class: rows.some((row) => typeof row[column] === 'number') ? 'number' : (row) => classOf(row[column]),
      }))}
      rows={rows}
    />
  )
}

/** Values up to this length are not wrapped at their hyphens (class `whole`). */
const WHOLE_CHARS = 14
const LONG_CHARS = 60

/** On a narrow screen, missing values are hidden and long ones get their own line. */
function classOf(value: unknown): string | undefined {
  if (value === null || value === undefined) return 'none'
  if (typeof value !== 'string') return undefined
  return value.length <= WHOLE_CHARS ? 'whole' : value.length > LONG_CHARS ? 'long' : undefined
}

const Money = ({ amount, links }: { amount: number; links: Links }) => (
  <MoneyText amount={fromMajor(amount)} currency={links.currency} />
)

type ValueProps = { name: string; value: unknown; links: Links; whole?: boolean }

/** A state, an amount, a time, a link to another resource, or text. */
function Value({ name, value, links, whole = false }: ValueProps) {
  if (value === null || value === undefined) return <span class="soft">–</span>
  if (name === 'status' || name === 'movement') return <State name={String(value)} />
  // The resource has the default currency, because it is read in the default words; the sandbox may have another one.
  if (name === 'currency') return <span>{links.currency}</span>
  const type = links.typeOf(name)
  if (typeof value === 'number' && type !== 'number') return <Money amount={value} links={links} />
  if (name.endsWith('At')) return <TimeCell at={String(value)} date />
  if (name === 'id' || (name !== 'externalId' && links.isId(String(value))))
    return <Id id={String(value)} links={links} whole={whole} />
  if (name === 'checkoutUrl') return <a href={String(value)}>{String(value)}</a>
  if (typeof value === 'object') {
    const isMap = type === 'map'
    const texts = Object.entries(value).map(([key, text]) => (isMap ? `${key}=${text}` : text))
    return <span>{texts.join(isMap ? ', ' : ' ')}</span>
  }
  return <span>{String(value)}</span>
}

// One resource

function onePage({ control, browse, view }: PageRequest, id: string) {
  const found = control.resource(id)
  const happened = happenedTo(browse, id)
  const kind = KIND_OF[found.name]
  const resource: ResourceRow = found.resource
  const { links } = view
  const order = links.orderName(resource.id)
  const status = typeof resource.status === 'string' ? resource.status : undefined
  const page = (
    <DashboardFrame
      view={view}
      title={`${kind.words.one} ${resource.id}`}
      heading={
        <span>
          {order ?? <code>{resource.id}</code>}
          {typeof resource.amount === 'number' && [' · ', <Money amount={resource.amount} links={links} />]}
        </span>
      }
      above={
        <>
          <a href={links.page(`resources/${kind.page ?? ''}`)}>{kind.words.many}</a> /{' '}
          <code>{resource.id}</code> <span>{status && <State name={status} />}</span>
        </>
      }
      isLive
      links={<Knob to={links.page('requests', { resource: resource.id })}>Requests</Knob>}
    >
      <div class="stack">
        <SentenceNotices links={links} sentences={happened.sentences} />
        <div class="columns">
          <Section title="Fields">
            <Terms terms={termsOf(resource, links)} />
          </Section>
          <ResourceActions view={view} found={found} status={status} />
        </div>
        {browse.naming(found).map(({ kind: name, rows }) => (
          <Section title={KIND_OF[name].words.many} count={rows.length} none={rows.length === 0 && 'None.'}>
            <ResourceTable
              rows={rows}
              columns={columnsOf(KIND_OF[name]).filter((column) => {
                const known = [null, resource.id, ...(column.endsWith('Id') ? [resource[column]] : [])]
                return !rows.every((row) => known.includes(row[column]))
              })}
              links={links}
              name={KIND_OF[name].words.many}
            />
          </Section>
        ))}
        <Happened view={view} {...happened} />
      </div>
    </DashboardFrame>
  )
  return { page }
}

function termsOf(resource: ResourceRow, links: Links): Term[] {
  return Object.entries(resource)
    .filter(([name]) => name !== 'id' && name !== 'status')
    .map(([name, value]) => [name, <Value name={name} value={value} links={links} whole />])
}

type ActionsProps = { view: View; found: FoundResource; status: string | undefined }

function ResourceActions({ view, found, status }: ActionsProps) {
  const { name } = found
  const { id, checkoutUrl }: ResourceRow = found.resource
  const types = EVENT_TYPES.filter((type) => type.startsWith(`${name}.`))
  return (
    <Section title="Actions">
      {name === 'checkout' && status === 'pending' && (
        <>
          <Action view={view} action="buyer.approve" fields={{ id }} label="Approve as the buyer" look="main">
            <ActionField name="method" label="Payment method" options={PaymentMethodType.options} />
          </Action>
          <Action view={view} action="buyer.decline" fields={{ id }} label="Decline as the bank" />
          <p class="soft">
            Or pay as the buyer: <a href={String(checkoutUrl)}>open the hosted page</a>.
          </p>
        </>
      )}
      {TESTER_ACTS.filter(
        ({ of, from }) => of === name && (from === 'any' || from.includes(String(status))),
      ).map(({ verb, kind, title, move, options: { shape } }) => (
        <Action view={view} action={verb} fields={{ id }} label={title} look={move ? 'main' : 'plain'}>
          {Object.entries(shape).map(([option, schema]) => (
            <ActionField name={option} label={`${KIND_OF[kind].words.one} ${option}`} {...inputOf(schema)} />
          ))}
        </Action>
      ))}
      <Action view={view} action="emit" fields={{ resourceId: id }} label="Emit event">
        <ActionField name="type" label="Event" options={types} />
      </Action>
    </Section>
  )
}
