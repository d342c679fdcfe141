/** What a search found, by kind. */
import type { FoundKind, FoundRow, SearchResult } from '../../tester/control/search.ts'
import { Id, Section, State, TimeCell } from './blocks.tsx'
import { DashboardFrame } from './frame.tsx'
import type { Links } from './links.ts'
import { RequestRows } from './request-rows.tsx'
import type { View } from './view.ts'

const TITLES: Record<FoundKind, string> = {
  checkout: 'Checkouts',
  authorization: 'Authorizations',
  refund: 'Refunds',
  customer: 'Customers',
  payment_method: 'Payment methods',
  message: 'Messages',
  event: 'Events',
  delivery: 'Deliveries',
}

export const foundAddress = (links: Links, { id }: FoundRow): string => links.any(id)

export function FoundPage({ view, term, found }: { view: View; term: string; found: SearchResult }) {
  const { rows, requests } = found
  return (
    <DashboardFrame view={view} title={`Found: ${term}`}>
      <h1>Found for “{term}”</h1>
      <p class="soft">
        Of each kind six are shown at most, first those that begin with it. A part of a text is looked for in
        the latest 5,000 of each kind and in the requests of the journal, a beginning of an id, order or
        business in all.
      </p>
      {rows.map(({ kind, data, hasMore }) => (
        <Section
          title={TITLES[kind]}
          aside={hasMore && <span class="soft">there are more: type more of it</span>}
        >
          <ul class="found-rows">
            {data.map((row) => (
              <li data-id={row.id}>
                <Id id={row.id} links={view.links} />
                <span class="what">{row.text}</span>
                {row.state && <State name={row.state} />}
                <TimeCell at={row.at} date />
              </li>
            ))}
          </ul>
        </Section>
      ))}
      {requests.data.length > 0 && (
        <Section
          title="Requests"
          aside={
            <a class="more" href={view.links.page('requests', { text: term })}>
              {requests.hasMore ? 'All of these requests' : 'As a list'}
            </a>
          }
        >
          <ol class="rows" reversed>
            <RequestRows requests={requests.data} links={view.links} />
          </ol>
        </Section>
      )}
    </DashboardFrame>
  )
}
