/** Audit: client behavior that would break in production, and the troubles that its tests never met. */

import { counted } from '../../spec/contract/counted.ts'
import { fromMajor, moneyText } from '../../spec/contract/money.ts'
import { groupBy } from '../../spec/grouping.ts'
import { type Audit, atLeastOf, type Finding } from '../../tester/audit/judge.ts'
import { hasNothingToJudge, summaryText } from '../../tester/audit/show.ts'
import { Notice } from '../blocks.tsx'
import { Id, Section } from './blocks.tsx'
import { DashboardFrame } from './frame.tsx'
import type { Links } from './links.ts'
import { List } from './list.tsx'
import { SentenceNotices } from './order-sentences.tsx'
import { routeTo } from './page-request.ts'

export const auditPage = routeTo('/audit', ({ control, view }) => {
  const audit = control.audit()
  const { orders, findings, ignored, coverage } = audit
  const { links } = view
  /** A rule's advice appears once on the page: at its findings, if there are any. */
  const isFound = ({ rule }: Audit['orders'][number]) => findings.some((finding) => finding.rule === rule)
  const page = (
    <DashboardFrame view={view} title="Audit" isLive>
      <div class="stack">
        <p class="soft">What the client did that would break in production. {summaryText(audit)}.</p>
        <SentenceNotices
          links={links}
          sentences={orders.map((sentence) => (isFound(sentence) ? { ...sentence, todo: null } : sentence))}
        />
        {findings.length + orders.length === 0 && !hasNothingToJudge(audit) && (
          <Notice>
            <b>Nothing found</b>
            <p>No findings so far. The list below shows failures that were never exercised.</p>
          </Notice>
        )}
        {findings.length > 0 && (
          <ol class="items findings" aria-label="Findings">
            {[...groupBy(findings, ({ rule }) => rule).values()].map((found) => (
              <ByRule found={found} links={links} />
            ))}
          </ol>
        )}
        {ignored.length > 0 && (
          <Section title="Ignored rules" count={ignored.length}>
            <List
              name="Ignored rules"
              look="named"
              columns={[
                { label: 'rule', cell: ({ rule }) => rule },
                { label: 'reason', cell: ({ reason }) => reason, class: 'long' },
                { label: 'findings', cell: (row) => row.findings, class: 'number' },
              ]}
              rows={ignored}
            />
          </Section>
        )}
        <Coverage coverage={coverage} findings={findings} links={links} />
      </div>
    </DashboardFrame>
  )
  return { page }
})

/** A rule with its findings: the advice once, then each finding. */
function ByRule({ found, links }: { found: readonly Finding[]; links: Links }) {
  const { rule, severity, title, costs, todo } = found[0]!
  const orders = [...new Set(found.flatMap((finding) => finding.orders))]
  const atLeast = atLeastOf(found)
  const stake = found.reduce((sum, { money }) => sum + (money ?? 0), 0)
  return (
    <li id={rule} data-id={rule}>
      <h2>
        <span class={`chip ${toneOf(found)}`}>
          {rule} {severity}
        </span>{' '}
        {title}{' '}
        <span class="soft">
          · {atLeast}
          {counted(Math.max(found.length, orders.length), 'time')}
          {stake > 0 && ` · ${moneyText(fromMajor(stake), links.currency)} at stake`}
        </span>
      </h2>
      {orders.length > 0 && (
        <p class="wrap">
          {orders.slice(0, NAMED_SHOWN).map((order) => (
            <a href={links.page('find', { q: order })}>{links.named(order)}</a>
          ))}
          {orders.length > NAMED_SHOWN && (
            <span class="soft">
              and {atLeast}
              {orders.length - NAMED_SHOWN} more orders
            </span>
          )}
        </p>
      )}
      <p>{todo}</p>
      <p class="soft">{costs}</p>
      <details open={found.length <= OPEN_FINDINGS}>
        <summary>{found.length === 1 ? 'What was found' : `What was found, ${found.length} times`}</summary>
        <ul>
          {found.map((finding) => (
            <li>
              {finding.what}{' '}
              <Named
                ids={[...finding.requests, ...finding.about]}
                atLeast={atLeastOf([finding])}
                links={links}
              />
            </li>
          ))}
        </ul>
      </details>
    </li>
  )
}

/** An error with money at stake is red. */
const toneOf = (found: readonly Finding[]) =>
  found.some(({ severity, money }) => severity === 'error' && money) ? 'bad' : 'wait'

type CoverageProps = Pick<Audit, 'coverage' | 'findings'> & { links: Links }

/** Each failure, those that the tests met first. */
const Coverage = ({ coverage, findings, links }: CoverageProps) => (
  <Section
    title="Failures that your tests exercised"
    count={coverage.filter(({ times }) => times > 0).length}
  >
    <p class="soft">
      An option runs your tests with its failure:{' '}
      <code>npx paysim gauntlet --only answer-lost-once -- npm test</code>
    </p>
    <List
      name="Failures"
      look="named"
      rows={coverage.toSorted((a, b) => Number(b.times > 0) - Number(a.times > 0))}
      columns={[
        { label: 'failure', cell: ({ title }) => title },
        { label: 'times', cell: ({ times }) => times || <span class="soft">never</span>, class: 'number' },
        {
          label: 'findings',
          cell: ({ rules }) =>
            rules.map((rule) => (
              <>
                <span class={`chip ${toneOf(findings.filter((finding) => finding.rule === rule))}`}>
                  {rule}
                </span>{' '}
              </>
            )),
        },
        {
          label: 'met by',
          cell: ({ met, times, armed }) =>
            times > 0 ? (
              <Named ids={met} count={times} links={links} />
            ) : (
              armed !== null && <code class="soft small">--only {armed}</code>
            ),
          class: 'long',
        },
      ]}
    />
  </Section>
)

const NAMED_SHOWN = 6
const OPEN_FINDINGS = 3

interface NamedProps {
  ids: readonly string[]
  /** The total, if `ids` has only the first ones. */
  count?: number
  atLeast?: string
  links: Links
}

function Named({ ids, count = ids.length, atLeast = '', links }: NamedProps) {
  return (
    <div>
      {[...groupBy(ids.slice(0, NAMED_SHOWN), (id) => links.orderName(id) ?? '')].map(([order, known]) => (
        <>
          {order !== '' && <b>{order} </b>}
          {known.map((id) => (
            <>
              <Id id={id} links={links} />{' '}
            </>
          ))}
        </>
      ))}
      {count > NAMED_SHOWN && (
        <span class="soft">
          and {atLeast}
          {count - NAMED_SHOWN} more
        </span>
      )}
    </div>
  )
}
