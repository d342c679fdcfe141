/** The frame of every page: navigation, the choice of the sandbox, and its clock. */
import type { Child } from 'hono/jsx'
import { NOTICES } from '../../spec/environments/environment.ts'
import { dashboardStylesheet, favicon, script } from '../assets.ts'
import { Notice } from '../blocks.tsx'
import { Frame } from '../frame.tsx'
import { Icon } from '../icons.tsx'
import type { ActionResult } from './actions.ts'
import { CurlDetails, Hidden } from './blocks.tsx'
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
  const head = <h1>{heading}</h1>
  const names = [view.sandbox, view.environment].filter((name) => name !== 'default' && name !== 'staging')
  const where = names.map((name) => ` · ${name}`).join('')
  return (
    <Frame
      title={`${title}${where} · paysim`}
      more={{ styles: dashboardStylesheet, script }}
      content={content}
    >
      <div class="dash">
        <header class="side">
          <a class="brand" href={view.links.base} aria-label="paysim">
            <img src={favicon.path} alt="" width={24} height={24} />
            <span>paysim</span>
          </a>
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
            <span>{view.sandbox}</span>
            <Icon name="layers" size={14} />
          </a>
          <nav class="places" aria-label="Dashboard">
            {PAGES.map(({ page, label, icon }) => (
              <a href={view.links.page(page)} aria-current={page === view.here ? 'page' : undefined}>
                <Icon name={icon} size={18} />
                {label}
                <PlaceCount view={view} page={page} />
              </a>
            ))}
          </nav>
          <p class="docs small">
            <a href="/docs/README.md">Docs</a>
            <a href={`/openapi.json?sandbox=${encodeURIComponent(view.sandbox)}`}>OpenAPI</a>
          </p>
        </header>
        <div class="deck">
          {view.environment === 'production' && (
            <section class={NOTICES.production.look} aria-label="Environment">
              <b>{NOTICES.production.title}</b> {NOTICES.production.text}
            </section>
          )}
          <ClockBar view={view} />
          <main id="main">
            {view.notice && (
              <div data-kept>
                <ActionNotice view={view} notice={view.notice} />
              </div>
            )}
            <header class="title">
              {above === undefined ? (
                head
              ) : (
                <div>
                  <p class="soft">{above}</p>
                  {head}
                </div>
              )}
              {isLive && <LiveBar view={view} />}
              {links}
            </header>
            {children}
          </main>
        </div>
      </div>
    </Frame>
  )
}

/** Whether the page follows what happens. The script writes it. */
const LiveBar = ({ view: { links, state } }: { view: View }) => (
  <p class="live soft small" role="status" data-live={`${links.page('live')}?shown=${state}`} />
)

/** How many items on a page need attention; failing webhooks stand out. */
function PlaceCount({ view: { armed, troubled }, page }: { view: View; page: DashboardPage }) {
  if (page === 'behaviors' && armed > 0) return <span class="count">{armed}</span>
  const failing = troubled.failing.count + troubled.givenUp.count
  if (page !== 'webhooks' || failing === 0) return null
  const isAll = troubled.failing.isAll && troubled.givenUp.isAll
  return (
    <span class="count failed">
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
      <div class="reading">
        <time
          datetime={clock.now}
          title={`${dateText(now)}, UTC`}
          data-runs={clock.frozen ? undefined : 'yes'}
        >
          {timeText(now).slice(0, 8)}
          {clock.frozen && <span>{timeText(now).slice(8)}</span>}
        </time>
        <span class="soft">{dateText(now)}, UTC</span>
        <span class={clock.frozen ? 'chip way' : 'chip good'}>{clock.frozen ? 'frozen' : 'running'}</span>
      </div>
      {due?.at && (
        <p class="due">
          <a href={view.links.any(due.resourceId)}>{due.what}</a> <span>{untilText(due.at, now)}</span>
        </p>
      )}
      <form method="post" action={links.page('do/clock')}>
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
          name={clock.frozen ? 'resume' : 'freeze'}
          value="true"
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
    <Notice tone={tone} alert={tone === 'warn'}>
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
