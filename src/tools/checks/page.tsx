/**
 * The page of `--report html=FILE`: the result, the causes, then each check, worst first. A single file without scripts or
 * external links, so that it can be attached to a ticket.
 */
import { raw } from 'hono/html'
import { dashboardStylesheet, favicon, stylesheet } from '../../pages/assets.ts'
import { TimeCell } from '../../pages/dashboard/blocks.tsx'
import { renderPage } from '../../pages/frame.tsx'
import { Icon } from '../../pages/icons.tsx'
import { tookText } from '../../spec/contract/duration.ts'
import { type Cause, type Check, type CheckReport, verdictOf, worstFirst } from './check.ts'
import reportStyles from './report.css?text'

const STYLES = [stylesheet.body, dashboardStylesheet.body, reportStyles].join('\n')

export const htmlReport = (report: CheckReport): string => renderPage(<CheckPage report={report} />)

function CheckPage({ report }: { report: CheckReport }) {
  const { title, command, startedAt, about, checks, causes = [] } = report
  const anchorOf = (index: number) => `check-${index + 1}`
  const anchorOfName = (wanted: string) => anchorOf(checks.findIndex(({ name }) => name === wanted))
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>
          {title} · paysim {command}
        </title>
        <link rel="icon" href={`data:image/svg+xml,${encodeURIComponent(favicon.body)}`} />
        <style>{raw(STYLES)}</style>
      </head>
      <body>
        <main class="report" id="main">
          <header>
            <h1>{title}</h1>
            <p class="soft">
              paysim {command}
              {startedAt !== undefined && (
                <>
                  , <TimeCell at={startedAt} date /> UTC
                </>
              )}
            </p>
          </header>
          {causes.length > 0 && (
            <>
              <h2>What to fix</h2>
              <ol class="causes">
                {causes.map((cause) => (
                  <CauseLine cause={cause} anchorOf={anchorOfName} />
                ))}
              </ol>
            </>
          )}
          <p class="soft">{about}</p>
          <div>
            {worstFirst(report).map((check, place) => (
              <CheckDetails check={check} anchor={anchorOf(checks.indexOf(check))} open={place === 0} />
            ))}
          </div>
        </main>
      </body>
    </html>
  )
}

function CauseLine({ cause, anchorOf }: { cause: Cause; anchorOf: (check: string) => string }) {
  const { what, where, todo, isMoney, example } = cause
  return (
    <li>
      <p>
        {isMoney && <span class="chip bad">money wrong</span>} <b>{what}</b>
        {where && `, ${where}`}
      </p>
      {todo !== '' && <p>{todo}</p>}
      {example && (
        <p class="soft">
          <a href={`#${anchorOf(example.check)}`}>{example.check}</a>: {example.text}
        </p>
      )}
    </li>
  )
}

/** Not green if it passed with a remark, such as a warning. */
function toneOf({ outcome, verdict, why }: Check): 'good' | 'bad' | 'wait' | 'plain' {
  if (outcome === 'failed') return verdict === 'money wrong' ? 'bad' : 'wait'
  return outcome === 'passed' && why === '' ? 'good' : 'plain'
}

type CheckProps = { check: Check; anchor: string; open: boolean }

/** A check, collapsed unless it is the first failure. Browsers expand a collapsed section when a link points into it. */
function CheckDetails({ check, anchor, open }: CheckProps) {
  const { name, about, outcome, why, text = why, todo = '', ms = 0, parts = [], page } = check
  return (
    <details class="scenario" open={open && outcome === 'failed'}>
      <summary>
        <span class={`chip ${toneOf(check)}`}>{verdictOf(check)}</span> <h2>{name}</h2>{' '}
        <span class="soft">{[why || about || [], ms > 0 ? tookText(ms) : []].flat().join(' · ')}</span>
      </summary>
      <div id={anchor}>
        {(page?.intro ?? about) !== undefined && <p class="soft">{page?.intro ?? about}</p>}
        {text !== '' && <p class="reason">{text}</p>}
        {!text.includes(todo) && <p>{todo}</p>}
        {parts.length > 0 && (
          <ol class="parts">
            {parts.map((part) => (
              <PartLine part={part} />
            ))}
          </ol>
        )}
        <Sections page={page} />
      </div>
    </details>
  )
}

const ICONS = { passed: 'check', failed: 'cross', skipped: 'pause' } as const

function PartLine({ part }: { part: Check }) {
  const { name, outcome, why, text = why, ms = 0, page } = part
  return (
    <li class={outcome}>
      <Icon name={ICONS[outcome]} size={16} />
      <span class="hidden-text">{outcome}: </span>
      <div>
        {name} {page?.saw && <b>{page.saw}</b>}{' '}
        {outcome !== 'skipped' && <span class="soft">{tookText(ms)}</span>}
        {text !== '' && <p class="reason">{text}</p>}
        <Sections page={page} />
      </div>
    </li>
  )
}

function Sections({ page }: { page: Check['page'] }) {
  return page?.sections.map(({ title, text, open }) => (
    <details open={open}>
      <summary>{title}</summary>
      <pre>{text}</pre>
    </details>
  ))
}
