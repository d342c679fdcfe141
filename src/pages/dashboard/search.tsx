/** The search of the dashboard. */
import { byResource } from '../../spec/contract/resources/index.ts'
import type { FoundKind } from '../../tester/control/search.ts'
import { Notice } from '../blocks.tsx'
import { Section } from './blocks.tsx'
import { DashboardFrame } from './frame.tsx'
import { doubledIn } from './order-sentences.tsx'
import { routeTo } from './page-request.ts'
import { RequestList } from './requests.tsx'
import { ResourceTable } from './resources.tsx'

const TITLES = {
  ...byResource(({ words }) => words.many),
  message: 'Messages',
  event: 'Events',
  delivery: 'Deliveries',
} satisfies Record<FoundKind, string>

/**
 * A whole id leads to its page, and a key to its requests. Other texts give a list of what contains them, by
 * kind; a single result is opened.
 */
export const searchPage = routeTo('/find', ({ c, control, browse, view }) => {
  const { links } = view
  const term = (c.req.query('q') ?? '').trim()
  if (term === '') return { to: links.base }
  if (links.isId(term)) return { to: links.any(term) }
  if (control.requests({ key: term, limit: 1 }).length > 0)
    return { to: links.page('requests', { key: term }) }
  const { rows, requests, ofOrder } = browse.find(term)
  const [only, ...others] = rows.flatMap(({ data }) => data)
  if (only && others.length === 0) return { to: links.any(only.id) }
  if (only === undefined && requests.data.length === 0) {
    const page = (
      <DashboardFrame view={view} title="Nothing found">
        <Notice>
          <b>{`Nothing in this sandbox has “${term}”`}</b>
          <p>
            Search for part of an id, an orderId, a business, a name, an e-mail, a message or an error, or for
            an amount as 12.50 or 1250. The latest 5,000 of each kind and the journal are searched.
          </p>
        </Notice>
      </DashboardFrame>
    )
    return { page, status: 404 }
  }
  const [about] = ofOrder
  const page = (
    <DashboardFrame view={view} title={`Found: ${term}`} heading={`Found for “${term}”`}>
      <p class="soft">
        Up to six results of each kind, prefix matches first. All data is searched for prefixes of ids, orders
        and businesses; other text is searched for in the latest 5,000 of each kind and in the journal.
      </p>
      {rows.map(({ kind, data, hasMore }) => (
        <Section
          title={TITLES[kind]}
          aside={hasMore && <span class="soft">there are more; refine the search</span>}
        >
          <ResourceTable
            name={TITLES[kind]}
            columns={['id', 'text', 'status', 'createdAt']}
            rows={data}
            links={links}
          />
        </Section>
      ))}
      {requests.data.length > 0 && (
        <Section
          title="Requests"
          aside={
            <a href={links.page('requests', about === undefined ? { text: term } : { resource: about })}>
              {requests.hasMore ? 'All of these requests' : 'As a list'}
            </a>
          }
        >
          <RequestList requests={requests.data} links={links} doubled={doubledIn(browse)} />
        </Section>
      )}
    </DashboardFrame>
  )
  return { page }
})
