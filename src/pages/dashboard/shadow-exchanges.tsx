/**
 * The page about the real service: the exchanges of `paysim shadow`, the ids that stand for one another, and
 * the differences of the answers.
 */
import { counted } from '../../spec/contract/counted.ts'
import { formatInstant } from '../../spec/contract/time.ts'
import { Code, DataTable, Empty, Id, Knob, Section, StatusBadge, TimeCell } from './blocks.tsx'
import { DashboardFrame } from './frame.tsx'
import { JsonView } from './json-text.tsx'
import type { Links } from './links.ts'
import { LiveList } from './live.tsx'
import { inPath, pageRoute } from './page-request.ts'
import type { MendableDifference, RealService, ShadowedExchange } from './real-service.ts'
import { TargetPath } from './request-rows.tsx'
import { unknownPage } from './sentence-pages.tsx'
import { shortForeignId } from './text.ts'
import type { View } from './view.ts'

const SHOWN = 50

export const realServicePage = pageRoute({
  path: '/real-service',
  load: ({ c, view, dashboard: { shadow } }) =>
    shadow && view.hasRealService ? { list: shadow } : unknownPage(c),
  view: (view, { list }) => (
    <DashboardFrame view={view} title="Beside the real service" isLive>
      <p class="soft">
        Each request to <code>{list.target}</code> is played in this sandbox too. The platform gets the
        answers of the service.
      </p>
      <LiveList name="real-service" count={list.count}>
        <RealServiceList view={view} list={list} />
      </LiveList>
    </DashboardFrame>
  ),
})

function RealServiceList({ view: { links }, list }: { view: View; list: RealService }) {
  const { keys } = list.learned()
  return (
    <div class="stack">
      <p>{differText(list)}</p>
      {keys.length > 0 && <LearnedKeys list={list} />}
      {list.count === 0 ? (
        <Empty title="No request yet">
          <p>Let the platform call the address that paysim shadow has printed in place of the service's.</p>
        </Empty>
      ) : (
        <DataTable
          name="Requests at both"
          columns={[
            { label: 'request', cell: (one) => <RequestLink exchange={one} links={links} />, class: 'long' },
            { label: 'there', cell: ({ theirs }) => <StatusBadge status={theirs.status} /> },
            { label: 'here', cell: ({ ours }) => <StatusBadge status={ours.status} /> },
            {
              label: 'ids there, and here',
              cell: ({ ids }) => <IdPairs ids={ids} links={links} />,
              class: 'long',
            },
            {
              label: 'where they part',
              cell: (one) => <WhereTheyPart differences={list.differencesOf(one)} notes={one.notes} />,
              class: 'long',
            },
            { label: 'at', cell: ({ at }) => <TimeCell at={formatInstant(at)} /> },
          ]}
          rows={list.latest(SHOWN)}
        />
      )}
    </div>
  )
}

/** `3 of 12 requests differ. The latest 50 are shown.` */
const differText = ({ count, differing }: RealService): string =>
  `${differing.toLocaleString('en-US')} of ${counted(count, 'request')} differ.` +
  (count > SHOWN ? ` The latest ${SHOWN.toLocaleString('en-US')} are shown.` : '')

function RequestLink({ exchange, links }: { exchange: ShadowedExchange; links: Links }) {
  const { number, method, target, ours } = exchange
  const order = links.orderName(ours.requestId ?? '')
  return (
    <>
      {order !== undefined && <b>{order} </b>}
      <a class="target" href={links.page(`real-service/${number}`)}>
        <b>{method}</b> <TargetPath target={target} shorten={shortForeignId} />
      </a>
    </>
  )
}

/** How many pairs of ids a row shows: a list has one for each item. The page of the request shows all. */
const PAIRS_SHOWN = 3

function IdPairs({ ids, links }: { ids: ShadowedExchange['ids']; links: Links }) {
  return (
    <ul>
      {ids.slice(0, PAIRS_SHOWN).map(({ theirs, ours }) => (
        <li>
          <span class="id" title={theirs}>
            {shortForeignId(theirs)}
          </span>{' '}
          = <Id id={ours} links={links} />
        </li>
      ))}
      {ids.length > PAIRS_SHOWN && <li class="soft">and {ids.length - PAIRS_SHOWN} more</li>}
    </ul>
  )
}

type PartProps = { differences: readonly MendableDifference[]; notes: readonly string[] }

/** The differences, each with the profile key that would mend it below. */
export function WhereTheyPart({ differences, notes }: PartProps) {
  return (
    <>
      {differences.length === 0 && <span class="chip good">the same</span>}
      <ul>
        {differences.map(({ sentence, mendedBy }) => (
          <li>
            {sentence}
            {mendedBy && (
              <>
                <br />
                <code class="soft">{keyText(mendedBy)}</code>
              </>
            )}
          </li>
        ))}
        {notes.map((note) => (
          <li class="soft">{note}</li>
        ))}
      </ul>
    </>
  )
}

const keyText = ({ key, value }: { key: string; value: unknown }) => `${key}: ${JSON.stringify(value)}`

/** The profile of the service, as learned so far. */
export function LearnedKeys({ list }: { list: RealService }) {
  const { keys, remarks } = list.learned()
  return (
    <Section title="What a profile would say" count={keys.length}>
      <Code label="Keys of a profile">{keys.map((key) => `${keyText(key)}\n`)}</Code>
      {remarks.length > 0 && (
        <>
          <p class="soft">No key says this, or what was seen does not agree:</p>
          <ul>
            {remarks.map((remark) => (
              <li>{remark}</li>
            ))}
          </ul>
        </>
      )}
    </Section>
  )
}

/** One request, with both answers. */
export const bothAnswersPage = pageRoute({
  path: '/real-service/:number',
  load({ c, view, dashboard: { shadow } }) {
    const exchange = view.hasRealService ? shadow?.find(Number(inPath(c, 'number'))) : undefined
    return shadow && exchange ? { list: shadow, exchange } : unknownPage(c)
  },
  view(view, { list, exchange }) {
    const { links } = view
    const { number, at, method, target, ours } = exchange
    return (
      <DashboardFrame
        view={view}
        title={`${method} ${target}`}
        heading={
          <code>
            {method} {target}
          </code>
        }
        look="request"
        above={
          <>
            <a href={links.page('real-service')}>Beside the real service</a> / {number} ·{' '}
            <TimeCell at={formatInstant(at)} date />
          </>
        }
        links={
          ours.requestId !== undefined && (
            <nav class="wrap" aria-label="Around this request">
              <Knob to={links.any(ours.requestId)}>In the journal of this sandbox</Knob>
            </nav>
          )
        }
      >
        <Section title="Where they part">
          <WhereTheyPart differences={list.differencesOf(exchange)} notes={exchange.notes} />
        </Section>
        <BothAnswers exchange={exchange} links={links} />
      </DashboardFrame>
    )
  },
})

export function BothAnswers({ exchange, links }: { exchange: ShadowedExchange; links?: Links }) {
  const { number, body, theirs, ours, ids, bodiesForgotten } = exchange
  return (
    <>
      {bodiesForgotten && <p class="soft">The bodies are forgotten: newer ones took their room.</p>}
      {ids.length > 0 && (
        <Section title="Ids that stand for one another">
          <DataTable
            name={`Ids of request ${number}`}
            columns={[
              { label: 'there', cell: ({ theirs }) => <code>{theirs}</code>, class: 'long' },
              {
                label: 'here',
                cell: ({ ours }) => (links ? <Id id={ours} links={links} whole /> : <code>{ours}</code>),
                class: 'long',
              },
            ]}
            rows={ids}
          />
        </Section>
      )}
      {body !== undefined && (
        <Section title="Request">
          <JsonView text={body} label={`Body of request ${number}`} />
        </Section>
      )}
      <div class="columns even">
        <Section title="Answer there" aside={<StatusBadge status={theirs.status} />}>
          <JsonView text={theirs.body} label={`Answer to request ${number} there`} />
        </Section>
        <Section title="Answer here" aside={<StatusBadge status={ours.status} />}>
          <JsonView text={ours.body} {...(links && { links })} label={`Answer to request ${number} here`} />
        </Section>
      </div>
    </>
  )
}
