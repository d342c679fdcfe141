/** The frame of every page: navigation, the choice of the sandbox, and its clock. */
import type { Child } from 'hono/jsx'
import { dashboardStylesheet, favicon, script } from '../assets.ts'
import { Notice, Strip } from '../blocks.tsx'
import { Frame } from '../frame.tsx'
import { Icon } from '../icons.tsx'
import type { ActionResult } from './actions.ts'
import { CurlDetails, Hidden, State } from './blocks.tsx'
import { countText, dateText, timeText, untilText } from './text.ts'
import { type DashboardPage, PAGES, type View } from './view.ts'

interface DashboardFrameProps {
  view: View
  title: string
  /** The page's title if it is more than text. */
  heading?: Child
  /** The line above it: the page that this one belongs to. */
  above?: Child
  /** Whether the page updates itself. */
  isLive?: boolean
  /** Shown next to the title. */
  links?: Child
  /** The id of the page's content, for the link that skips navigation and filters. */
  content?: string
  children?: Child
}

export function DashboardFrame(props: DashboardFrameProps) {
  const { view, title, heading = title, above, isLive = false, links, content = 'main', children } = props
  const names = [view.sandbox, view.environment].filter((name) => name !== 'default' && name !== 'staging')
  const where = names.map((name) => ` · ${name}`).join('')
  return (
    <Frame
      title={`${title}${where} · paysim`}
      more={{ styles: dashboardStylesheet, script }}
      content={content}
    >
      <div class="dash">
        <header class="top">
          <a class="brand" href={view.links.base} aria-label="paysim">
            <img src={favicon.path} alt="" width={24} height={24} />
            paysim
          </a>
          <nav class="places" aria-label="Dashboard">
            {PAGES.map(({ page, label }) => (
              <a href={view.links.page(page)} aria-current={page === view.here ? 'page' : undefined}>
                {label} <PlaceCount view={view} page={page} />
              </a>
            ))}
          </nav>
          <search>
            <form action={view.links.page('find')}>
              <input
                class="input"
                name="q"
                type="search"
                aria-label="Find"
                placeholder="Find id, order, name"
                value={termIn(view.path)}
                required
              />
            </form>
          </search>
          <a class="knob" href={view.links.page('sandboxes')} aria-label={`Sandbox: ${view.sandbox}`}>
            {view.sandbox}
          </a>
          <a class="docs" href="/docs/README.md">
            Docs
          </a>
          <a class="docs" href={`/openapi.json?sandbox=${encodeURIComponent(view.sandbox)}`}>
            OpenAPI
          </a>
        </header>
        {view.environment === 'production' && <Strip environment="production" />}
        <ClockBar view={view} />
        <main class="deck" id="main">
          {/* The editor of behaviors shows the mistakes of its text. */}
          {view.notice && !(view.here === 'behaviors' && view.notice.typed?.yaml) && (
            <div data-kept>
              <ActionNotice view={view} notice={view.notice} />
            </div>
          )}
          <header class="title">
            <div>
              {above && <p class="soft">{above}</p>}
              <h1>{heading}</h1>
            </div>
            {isLive && <LiveBar view={view} />}
            {links}
          </header>
          {children}
        </main>
      </div>
    </Frame>
  )
}

/** Whether the page follows what happens. The script writes it. */
const LiveBar = ({ view: { links, state } }: { view: View }) => (
  <p class="live good soft small" role="status" data-live={`${links.page('live')}?shown=${state}`} />
)

/** How many items on a page need attention; failing webhooks stand out. */
function PlaceCount({ view: { armed, troubled }, page }: { view: View; page: DashboardPage }) {
  if (page === 'behaviors' && armed > 0) return <span class="count">{armed}</span>
  const failing = troubled.failing.count + troubled.givenUp.count
  if (page !== 'webhooks' || failing === 0) return null
  const isAll = troubled.failing.isAll && troubled.givenUp.isAll
  return (
    <span class="count wait">
      {countText({ count: failing, isAll })}
      <span class="hidden-text"> failing</span>
    </span>
  )
}

/** The search text, on the results page. */
const termIn = (path: string) => new URLSearchParams(/\/find\?(.*)/.exec(path)?.[1]).get('q') ?? undefined

const ADVANCES = ['5s', '1m', '1h', '1d']

function ClockBar({ view }: { view: View }) {
  const { clock, due, links } = view
  const now = Date.parse(clock.now)
  return (
    <section class="clock" aria-label="The sandbox's clock">
      <time datetime={clock.now} title={`${dateText(now)}, UTC`} data-runs={clock.frozen ? undefined : 'yes'}>
        {timeText(now).slice(0, 8)}
        {clock.frozen && <span>{timeText(now).slice(8)}</span>}
      </time>
      <span class="soft date">{dateText(now)}, UTC</span>
      <State name={clock.frozen ? 'frozen' : 'running'} />
      {due?.at && (
        <p class="due">
          <a href={links.any(due.resourceId)}>{due.what}</a> {untilText(due.at, now)}
        </p>
      )}
      <form method="post" action={links.page('do/clock.advance')}>
        <Hidden view={view} />
        <span class="hidden-text" id="advance">
          Advance the clock
        </span>
        {ADVANCES.map((by) => (
          <button class="knob" type="submit" name="advance" value={by} aria-describedby="advance">
            +{by}
          </button>
        ))}
        <button
          class="knob"
          type="submit"
          formaction={links.page(clock.frozen ? 'do/clock.resume' : 'do/clock.freeze')}
          aria-label={clock.frozen ? 'Resume the clock' : 'Freeze the clock'}
        >
          <Icon name={clock.frozen ? 'play' : 'freeze'} size={16} />
          <span>{clock.frozen ? 'Resume' : 'Freeze'}</span>
        </button>
      </form>
    </section>
  )
}

function ActionNotice({ view, notice }: { view: View; notice: ActionResult }) {
  const { links } = view
  const { tone, text, list = [], more, curl } = notice
  return (
    <Notice tone={tone} alert={tone === 'wait'}>
      <p>{text}</p>
      {more && (
        <p>
          <a href={links.page(more.page, more.query)}>{more.text}</a>
        </p>
      )}
      {list.length > 0 && (
        <ol class="happened">
          {list.map(({ at, id, detail }) => (
            <li>
              <time datetime={at}>{timeText(Date.parse(at))}</time> <a href={links.any(id)}>{detail}</a>
            </li>
          ))}
        </ol>
      )}
      {curl && <CurlDetails curl={curl} what="the same" />}
    </Notice>
  )
}
