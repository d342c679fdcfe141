/** The first page: the latest requests, what is due, the armed behaviors, and how many resources there are. */
import type { Browse } from '../../tester/control/browse.ts'
import type {
  BehaviorDescription,
  Overview,
  RateWindow,
  RequestSummary,
  SandboxDescription,
} from '../../tester/control/shapes.ts'
import { Action, CopyButton, Empty, Labeled, Section, Snippet, Terms } from './blocks.tsx'
import { DashboardFrame } from './frame.tsx'
import { HeatStrip } from './heat-strip.tsx'
import { KINDS } from './kinds.ts'
import { LiveBar, LiveList } from './live.tsx'
import { RequestRows } from './request-rows.tsx'
import { stateTone } from './state-tones.ts'
import { untilText } from './text.ts'
import type { View } from './view.ts'

export interface OverviewProps {
  view: View
  description: SandboxDescription
  overview: Overview
  behaviors: readonly BehaviorDescription[]
  due: ReturnType<Browse['due']>
  requests: readonly RequestSummary[]
}

export function OverviewPage(props: OverviewProps) {
  const { view, description, overview, behaviors, due, requests } = props
  return (
    <DashboardFrame view={view} title="Overview">
      <h1 class="hidden-text">Overview</h1>
      <Connection view={view} description={description} />
      <HeatStrip view={view} minutes={overview.lastHour} />
      <div class="columns">
        <LatestRequests view={view} requests={requests} count={overview.requests} />
        <div class="aside">
          <Counts view={view} overview={overview} />
          <DueSection view={view} due={due} />
          <ArmedSection view={view} behaviors={behaviors} />
          <WindowsSection view={view} windows={overview.windows} limit={description.rateLimit} />
          <ClockSection view={view} />
        </div>
      </div>
    </DashboardFrame>
  )
}

function LatestRequests({
  view,
  requests,
  count,
}: Pick<OverviewProps, 'view' | 'requests'> & { count: number }) {
  const { links } = view
  return (
    <section class="section">
      <header>
        <h2>Requests</h2>
        <LiveBar view={view} />
        <a class="more" href={links.page('requests')}>
          All requests
        </a>
      </header>
      <LiveList name="requests" count={count}>
        {requests.length === 0 ? (
          <FirstRequest view={view} />
        ) : (
          <ol class="rows" data-rows reversed>
            <RequestRows requests={requests} links={links} />
          </ol>
        )}
      </LiveList>
    </section>
  )
}

/** What an empty list shows: a request to try. */
export function FirstRequest({ view: { base, apiKey } }: { view: View }) {
  const order = `{"orderId":"order-1","externalId":"biz-1","amount":100.00,"successUrl":"http://localhost:3000/ok","cancelUrl":"http://localhost:3000/no"}`
  return (
    <Empty title="No requests yet">
      <p>Requests to /v1 appear here when they are answered. Try one:</p>
      <Snippet
        label="curl for a first checkout"
        text={`curl ${base}/v1/checkouts \\\n  -H 'x-api-key: ${apiKey}' \\\n  -H 'Content-Type: application/json' \\\n  -d '${order}'`}
      />
    </Empty>
  )
}

// Counts

function Counts({ view: { links }, overview }: { view: View; overview: Overview }) {
  return (
    <section class="section" data-panel="counts">
      <header>
        <h2>Resources</h2>
        <a class="more" href={links.page('resources')}>
          All resources
        </a>
      </header>
      <ul class="tally">
        {KINDS.map(({ name, title, page }) => (
          <TallyRow
            title={title}
            href={page && links.page(`resources/${page}`)}
            counts={overview.counts[name]}
          />
        ))}
        <TallyRow title="Events" href={links.page('events')} counts={{ events: overview.events }} />
      </ul>
    </section>
  )
}

function TallyRow({
  title,
  href,
  counts,
}: {
  title: string
  href: string | undefined
  counts: Readonly<Record<string, number>>
}) {
  const states = Object.entries(counts)
  const all = states.reduce((sum, [, count]) => sum + count, 0)
  return (
    <li>
      {href ? <a href={href}>{title}</a> : <span>{title}</span>}
      <span class="number">{all.toLocaleString('en-US')}</span>
      {all > 0 && states[0]![0] !== 'known' && states[0]![0] !== 'events' && (
        <Shares states={states} all={all} />
      )}
    </li>
  )
}

/** How many are in each state: a bar, and the same as text. */
function Shares({ states, all }: { states: [string, number][]; all: number }) {
  let from = 0
  return (
    <>
      <svg class="shares" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
        {states.map(([state, count]) => {
          const width = (count / all) * 100
          from += width
          return <rect class={`tone-${stateTone(state)}`} x={from - width} y={0} width={width} height={4} />
        })}
      </svg>
      <span class="counts">
        {states.map(([state, count]) => `${count.toLocaleString('en-US')} ${state}`).join(' · ')}
      </span>
    </>
  )
}

// Due work and limits

function DueSection({ view, due: { groups, inAll } }: Pick<OverviewProps, 'view' | 'due'>) {
  const now = Date.parse(view.clock.now)
  const others = inAll - groups.reduce((sum, { count }) => sum + count, 0)
  return (
    <section class="section" data-panel="due">
      <header>
        <h2>
          Due next <span class="count">{inAll.toLocaleString('en-US')}</span>
        </h2>
      </header>
      {groups.length === 0 ? (
        <p class="soft">Nothing. Refunds and webhook retries that are due later are listed here.</p>
      ) : (
        <ol class="due">
          {groups.map(({ what, count, resourceId, at }) => (
            <li>
              <a href={view.links.any(resourceId)}>
                {what} {count > 1 ? <b>×{count}</b> : <span class="id">{view.links.short(resourceId)}</span>}
              </a>
              <span class="soft">{at === null ? 'on request' : untilText(at, now)}</span>
            </li>
          ))}
          {others > 0 && <li class="soft">and {others.toLocaleString('en-US')} of other kinds or later</li>}
        </ol>
      )}
    </section>
  )
}

function ArmedSection({ view, behaviors }: { view: View; behaviors: readonly BehaviorDescription[] }) {
  return (
    <section class="section" data-panel="armed">
      <header>
        <h2>
          Armed behaviors <span class="count">{behaviors.length}</span>
        </h2>
        <a class="more" href={view.links.page('behaviors')}>
          Arm a behavior
        </a>
      </header>
      {behaviors.length === 0 ? (
        <p class="soft">None.</p>
      ) : (
        <ul class="armed">
          {behaviors.map(({ id, explained, fired, left }) => (
            <li>
              <b>{id}</b>
              <span class="soft">{explained}</span>
              <span class="count">
                fired {fired}×{left === null ? '' : `, ${left} left`}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function WindowsSection({
  view,
  windows,
  limit,
}: {
  view: View
  windows: readonly RateWindow[]
  limit: number | 'off'
}) {
  return (
    <section class="section" data-panel="windows">
      <header>
        <h2>Rate limit</h2>
        <span class="soft">{limit === 'off' ? 'off' : `${limit} requests a minute for each IP`}</span>
      </header>
      {windows.length > 0 && (
        <ul class="windows">
          {windows.map(({ bucket, limit: most, used, resetAt }) => (
            <li>
              <span>{bucket}</span>
              <span class="soft">
                {used} of {most}, resets {untilText(resetAt, Date.parse(view.clock.now))}
              </span>
              <meter min={0} max={most} high={most * 0.8} value={used} aria-label={`Used by ${bucket}`} />
            </li>
          ))}
        </ul>
      )}
      {windows.length === 0 && limit !== 'off' && <p class="soft">No requests in this minute.</p>}
    </section>
  )
}

// Clock and connection

function ClockSection({ view }: { view: View }) {
  return (
    <Section title="Move the clock">
      <Action view={view} action="clock" label="Advance" shown={{ advance: '2d' }}>
        <Labeled label="By">
          <input class="text" name="advance" required placeholder="2d, 1h30m, 250ms" />
        </Labeled>
      </Action>
      <Action view={view} action="clock" label="Set" shown={{ set: view.clock.now }}>
        <Labeled label="To">
          <input class="text" name="set" required value={view.clock.now} />
        </Labeled>
      </Action>
      <Action view={view} action="settle" label="Wait until nothing is due" />
    </Section>
  )
}

function Connection({ view, description }: { view: View; description: SandboxDescription }) {
  const { apiKey, signingSecret, webhook } = description
  return (
    <section class="connection" aria-label="How to reach it">
      <Terms
        terms={[
          { term: 'Base URL', detail: <code>{view.base}/v1</code> },
          {
            term: 'x-api-key',
            detail: (
              <div class="copied" data-copied>
                <pre>{apiKey}</pre>
                <CopyButton />
              </div>
            ),
          },
          {
            term: 'Webhook URL',
            detail: webhook ? <code>{webhook.url}</code> : <a href={view.links.page('events')}>not set</a>,
          },
          {
            term: 'Signing secret',
            detail: (
              <div class="copied" data-copied>
                <pre>{signingSecret}</pre>
                <CopyButton />
              </div>
            ),
          },
        ]}
      />
    </section>
  )
}
