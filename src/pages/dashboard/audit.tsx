/** Audit: client behavior that would break in production, and the troubles that its tests never met. */

import { counted } from '../../spec/contract/counted.ts'
import { fromMajor } from '../../spec/contract/money.ts'
import { type Audit, atLeastOf, type Finding } from '../../tester/audit/judge.ts'
import { groupBy } from '../../tester/audit/picture.ts'
import { hasNothingToJudge, summaryText } from '../../tester/audit/show.ts'
import { MoneyText } from '../blocks.tsx'
import { Empty, Id, Section } from './blocks.tsx'
import { DashboardFrame } from './frame.tsx'
import type { Links } from './links.ts'
import { List } from './list.tsx'
import { SentenceNotices } from './order-sentences.tsx'
import { pageRoute } from './page-request.ts'
import type { View } from './view.ts'

export const auditPage = pageRoute({
  path: '/audit',
  load: ({ control }) => control.audit(),
  view: (view, audit) => (
    <DashboardFrame view={view} title="Audit" isLive>
      <Verdict view={view} audit={audit} />
    </DashboardFrame>
  ),
})

function Verdict({ view, audit }: { view: View; audit: Audit }) {
  const { orders, findings, ignored, coverage } = audit
  const isClean = findings.length + orders.length === 0
  /** A rule's advice appears once on the page: at its findings, if there are any. */
  const isFound = ({ rule }: Audit['orders'][number]) => findings.some((finding) => finding.rule === rule)
  return (
    <div class="stack">
      <p class="soft">What the client did that would break in production. {summaryText(audit)}.</p>
      <SentenceNotices
        links={view.links}
        sentences={orders.map((sentence) => (isFound(sentence) ? { ...sentence, todo: null } : sentence))}
      />
      {isClean && !hasNothingToJudge(audit) && (
        <Empty title="Nothing found">
          <p>No findings so far. The list below shows failures that were never exercised.</p>
        </Empty>
      )}
      {findings.length > 0 && (
        <ol class="items findings" aria-label="Findings">
          {[...groupBy(findings, ({ rule }) => rule).values()].map((found) => (
            <ByRule found={found} links={view.links} />
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
      <TroubleMet met={coverage.filter(({ times }) => times > 0)} findings={findings} links={view.links} />
      <TroubleNeverMet never={coverage.filter(({ times }) => times === 0)} />
    </div>
  )
}

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
        </span>
        {stake > 0 && (
          <span class="soft">
            {' · '}
            <MoneyText amount={fromMajor(stake)} currency={links.currency} /> at stake
          </span>
        )}
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
          {found.slice(0, FINDINGS_SHOWN).map((finding) => (
            <li>
              {finding.what}{' '}
              <Named
                ids={[...finding.requests, ...finding.about]}
                atLeast={atLeastOf([finding])}
                links={links}
              />
            </li>
          ))}
          {found.length > FINDINGS_SHOWN && (
            <li class="soft">
              The first {FINDINGS_SHOWN} of {found.length.toLocaleString('en-US')}; <code>paysim audit</code>{' '}
              lists all.
            </li>
          )}
        </ul>
      </details>
    </li>
  )
}

/** An error with money at stake is red. */
const toneOf = (found: readonly Finding[]) =>
  found.some(({ severity, money }) => severity === 'error' && money) ? 'bad' : 'wait'

type CoverageRow = Audit['coverage'][number]

function TroubleMet(props: { met: readonly CoverageRow[]; findings: readonly Finding[]; links: Links }) {
  const { met, findings, links } = props
  return (
    <Section
      title="Failures that your tests exercised"
      count={met.length}
      none={met.length === 0 && 'None so far.'}
    >
      <List
        name="Failures"
        look="named"
        columns={[
          { label: 'failure', cell: ({ title }) => title, class: 'long' },
          { label: 'times', cell: ({ times }) => times, class: 'number' },
          {
            label: 'findings',
            cell: ({ rules }) =>
              rules.length === 0
                ? 'none'
                : rules.map((rule) => (
                    <>
                      <span class={`chip ${toneOf(findings.filter((finding) => finding.rule === rule))}`}>
                        {rule}
                      </span>{' '}
                    </>
                  )),
          },
          {
            label: 'met by',
            cell: ({ met: ids, times }) => <Named ids={ids} count={times} links={links} />,
            class: 'long',
          },
        ]}
        rows={met}
      />
    </Section>
  )
}

function TroubleNeverMet({ never }: { never: readonly CoverageRow[] }) {
  if (never.length === 0) return null
  return (
    <Section title="Failures that no test exercised" count={never.length}>
      <p class="soft">
        No test in this sandbox exercised these. If an option is listed, this command runs your tests with
        that failure: <code>npx paysim gauntlet --only answer-lost-once -- npm test</code>
      </p>
      <ul class="never">
        {never.map(({ title, armed }) => (
          <li>
            {title}
            {armed !== null && <code class="soft small"> --only {armed}</code>}
          </li>
        ))}
      </ul>
    </Section>
  )
}

const NAMED_SHOWN = 6
/** The most findings of a rule that are shown: one bug of a program is found at each of its orders. */
const FINDINGS_SHOWN = 20
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
