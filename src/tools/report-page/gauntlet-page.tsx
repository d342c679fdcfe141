/** The page of `paysim gauntlet --report html=FILE`: what is to be mended first, then each trouble, the worst first. */

import { renderPage } from '../../pages/frame.tsx'
import { counted } from '../../spec/contract/counted.ts'
import { tookText } from '../../spec/contract/duration.ts'
import { isRefused } from '../gauntlet/baseline.ts'
import type { GauntletCause } from '../gauntlet/causes.ts'
import { type Outcome, outputOf } from '../gauntlet/report.ts'
import { verdictCounts } from '../gauntlet/show.ts'
import { NO_VERDICTS, type TroubleResult, VERDICTS } from '../gauntlet/verdict.ts'
import { ReportDocument } from './document.tsx'

export const gauntletPage = (outcome: Outcome): string => renderPage(<GauntletPage outcome={outcome} />)

/** What could not be judged stands beside what failed; what was not tried comes last. */
const WORST_FIRST = [
  ...VERDICTS.toReversed().slice(0, 2),
  'not judged',
  'bad conduct',
  'survived',
  ...NO_VERDICTS,
]

function GauntletPage({ outcome }: { outcome: Outcome }) {
  const { command, calm, results, causes, tookMs } = outcome
  const sorted = results.toSorted(
    (one, other) => WORST_FIRST.indexOf(one.verdict) - WORST_FIRST.indexOf(other.verdict),
  )
  return (
    <ReportDocument
      title={titleOf(sorted)}
      command="paysim gauntlet"
      at={new Date(outcome.startedAt).toISOString()}
    >
      <p>
        <code>{command.join(' ')}</code>: {tookText(calm.tookMs)} in calm, {tookText(tookMs)} in all:{' '}
        {verdictCounts(results)}.
      </p>
      {causes.length > 0 && (
        <>
          <h2>What to mend</h2>
          <ol class="causes">
            {causes.map((cause) => (
              <CauseLine cause={cause} />
            ))}
          </ol>
        </>
      )}
      <h2>Troubles</h2>
      {sorted.map((result) => (
        <TroubleDetails result={result} outcome={outcome} />
      ))}
    </ReportDocument>
  )
}

/** `9 money wrong of 50`: the worst verdict that there is. */
function titleOf([worst, ...others]: readonly TroubleResult[]): string {
  if (!worst) return 'No trouble was tried'
  const count = 1 + others.filter(({ verdict }) => verdict === worst.verdict).length
  return `${count} ${worst.verdict} of ${1 + others.length}`
}

const anchorOf = (trouble: string) => `trouble-${trouble}`

function CauseLine({ cause }: { cause: GauntletCause }) {
  const { rule, what, todo, isMoney, inCalm, troubles, example } = cause
  return (
    <li>
      <p>
        {isMoney && <span class="chip bad">money wrong</span>}{' '}
        <b>{rule === null ? what : `${rule}: ${what}`}</b>, in {counted(troubles.length, 'run')}
        {inCalm && ' and in calm'}.
      </p>
      {todo !== null && <p>{todo}</p>}
      <p class="soft">
        <a href={`#${anchorOf(example.trouble)}`}>{example.trouble}</a>: {example.text}
      </p>
    </li>
  )
}

function toneOf(result: TroubleResult, { baseline }: Outcome): 'good' | 'bad' | 'plain' {
  if (result.verdict === 'survived') return 'good'
  return isRefused(result, baseline) ? 'bad' : 'plain'
}

/** A link to a part of a closed one opens it, which is HTML's own rule. */
function TroubleDetails({ result, outcome }: { result: TroubleResult; outcome: Outcome }) {
  const { trouble, verdict, reasons, notes, fired, tookMs, trail } = result
  const output = reasons.length > 0 ? outputOf(result) : ''
  return (
    <details class="scenario">
      <summary>
        <span class={`chip ${toneOf(result, outcome)}`}>{verdict}</span> <h3>{trouble.name}</h3>{' '}
        <span class="soft">{reasons[0] ?? trouble.sentence}</span>
      </summary>
      <div id={anchorOf(trouble.name)}>
        <p class="soft">
          {trouble.sentence}
          {fired > 0 && `; it acted ${counted(fired, 'time')}, in ${tookText(tookMs)}`}.
        </p>
        {[...reasons, ...notes].map((text) => (
          <p class="reason">{text}</p>
        ))}
        {trail && (
          <>
            <h4>What happened</h4>
            <ol class="trail">
              {trail.timeline.map(({ at, id, text }) => (
                <li>
                  <time datetime={at}>{at.slice(11, 23)}</time> <span>{text}</span> <code>{id}</code>
                </li>
              ))}
            </ol>
            <details>
              <summary>Journal</summary>
              <pre>{trail.journal}</pre>
            </details>
          </>
        )}
        {output !== '' && (
          <details>
            <summary>Output</summary>
            <pre>{output}</pre>
          </details>
        )}
      </div>
    </details>
  )
}
