/** The page of `--report html=FILE`: the result, the causes to mend, more about the run, then each check, the worst first. */
import type { Child } from 'hono/jsx'
import { renderPage } from '../../pages/frame.tsx'
import { tookText } from '../../spec/contract/duration.ts'
import { type Cause, type Check, type CheckReport, verdictOf, worstFirst } from './check.ts'
import { ReportDocument } from './document.tsx'

/** Draws the content of an opened check. `anchor` is the id of its part of the page. */
type Details = (check: Check, place: { index: number; anchor: string }) => Child

interface PageParts {
  details?: Details
  /** The heading of the causes. */
  mend?: string
  /** What stands between the causes and the checks. */
  more?: Child
}

export const htmlReport = (report: CheckReport, parts: PageParts = {}): string =>
  renderPage(<CheckPage report={report} parts={parts} />)

function CheckPage({ report, parts }: { report: CheckReport; parts: PageParts }) {
  const { details = textOfCheck, mend = 'What to mend', more } = parts
  const { command, title, about, startedAt, checks, causes = [] } = report
  const anchorOf = (index: number) => `check-${index + 1}`
  const anchorOfName = (wanted: string) => anchorOf(checks.findIndex(({ name }) => name === wanted))
  return (
    <ReportDocument title={title} command={`paysim ${command}`} at={startedAt}>
      {causes.length > 0 && (
        <>
          <h2>{mend}</h2>
          <ol class="causes">
            {causes.map((cause) => (
              <CauseLine cause={cause} anchorOf={anchorOfName} />
            ))}
          </ol>
        </>
      )}
      {more}
      <p class="soft">{about}</p>
      <div>
        {worstFirst(report).map((check, place) => {
          const index = checks.indexOf(check)
          return (
            <CheckDetails check={check} anchor={anchorOf(index)} open={place === 0}>
              {details(check, { index, anchor: anchorOf(index) })}
            </CheckDetails>
          )
        })}
      </div>
    </ReportDocument>
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

type CheckProps = { check: Check; anchor: string; open: boolean; children?: Child }

/**
 * One check, folded unless it is the first failure. HTML itself opens a folded part when a link leads into
 * it.
 */
function CheckDetails({ check, anchor, open, children }: CheckProps) {
  const { name, about, outcome, why, ms = 0 } = check
  return (
    <details class="scenario" open={open && outcome === 'failed'}>
      <summary>
        <span class={`chip ${toneOf(check)}`}>{verdictOf(check)}</span> <h2>{name}</h2>{' '}
        <span class="soft">{[why || about || [], ms > 0 ? tookText(ms) : []].flat().join(' · ')}</span>
      </summary>
      <div id={anchor}>{children}</div>
    </details>
  )
}

function textOfCheck({ about, why, text = why, todo = '' }: Check): Child {
  return (
    <>
      {about !== undefined && <p class="soft">{about}</p>}
      {text !== '' && <p class="reason">{text}</p>}
      {!text.includes(todo) && <p>{todo}</p>}
    </>
  )
}
