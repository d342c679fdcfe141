/** Conduct: what the platform did that would hurt in production, and which trouble its tests never met. */

import { counted } from '../../spec/contract/counted.ts'
import { fromMajor } from '../../spec/contract/money.ts'
import type { Conduct, Finding } from '../../tester/conduct/judge.ts'
import { MoneyText } from '../blocks.tsx'
import { DataTable, Empty, Id, Section } from './blocks.tsx'
import { DashboardFrame } from './frame.tsx'
import type { Links } from './links.ts'
import { LiveBar, LiveList } from './live.tsx'
import type { View } from './view.ts'

export function ConductPage({ view, conduct }: { view: View; conduct: Conduct }) {
  const { findings } = conduct
  return (
    <DashboardFrame view={view} title="Conduct">
      <header class="title">
        <h1>Conduct</h1>
        <LiveBar view={view} />
      </header>
      <LiveList name="conduct" count={findings.length}>
        <Verdict view={view} conduct={conduct} />
      </LiveList>
    </DashboardFrame>
  )
}

function Verdict({ view, conduct }: { view: View; conduct: Conduct }) {
  const { errors, warnings, findings, ignored, coverage, requests, from, forgotten } = conduct
  return (
    <div class="stack">
      <p class="soft">
        What the platform did that would hurt in production: {counted(errors, 'error')} and{' '}
        {counted(warnings, 'warning')} in {counted(requests, 'request')}
        {forgotten > 0 && <> from {from} on; earlier ones are not in the journal any more</>}.
      </p>
      {findings.length === 0 ? (
        <Empty title="Nothing found">
          <p>No rule found anything in what came so far. The table below shows what was never tried.</p>
        </Empty>
      ) : (
        <DataTable
          name="Findings"
          columns={[
            {
              label: 'rule',
              cell: ({ rule, severity }) => (
                <span class={`chip ${toneOf(severity)}`}>
                  {rule} {severity}
                </span>
              ),
            },
            {
              label: 'finding',
              cell: ({ title, what }) => (
                <div>
                  <b>{title}</b>
                  <br />
                  {what}
                </div>
              ),
              class: 'long',
            },
            {
              label: 'see',
              cell: (finding) => <Named ids={[...finding.requests, ...finding.about]} links={view.links} />,
              class: 'long',
            },
            {
              label: 'at stake',
              cell: ({ money }) =>
                money === null ? <span class="soft">–</span> : <MoneyText amount={fromMajor(money)} />,
              class: 'number',
            },
            {
              label: 'why and what to do',
              cell: ({ costs, todo }) => (
                <div>
                  {costs}
                  <br />
                  {todo}
                </div>
              ),
              class: 'long',
            },
          ]}
          rows={findings.slice(0, FINDINGS_SHOWN)}
        />
      )}
      {findings.length > FINDINGS_SHOWN && (
        <p class="soft">
          The first {FINDINGS_SHOWN} of {findings.length.toLocaleString('en-US')} are shown;{' '}
          <code>paysim conduct</code> lists all.
        </p>
      )}
      {ignored.length > 0 && (
        <Section title="Ignored rules" count={ignored.length}>
          <DataTable
            name="Ignored rules"
            columns={[
              { label: 'rule', cell: ({ rule }) => rule },
              { label: 'reason', cell: ({ reason }) => reason, class: 'long' },
              { label: 'findings', cell: (one) => one.findings, class: 'number' },
            ]}
            rows={ignored}
          />
        </Section>
      )}
      <TroubleMet
        met={coverage.filter(({ times }) => times > 0)}
        failed={new Set(findings.flatMap(({ rule, severity }) => (severity === 'error' ? [rule] : [])))}
        links={view.links}
      />
      <TroubleNeverMet never={coverage.filter(({ times }) => times === 0)} />
    </div>
  )
}

const toneOf = (severity: Finding['severity']) => (severity === 'error' ? 'bad' : 'wait')

type Trouble = Conduct['coverage'][number]

/** `failed` are the rules that found an error. */
function TroubleMet(props: { met: readonly Trouble[]; failed: ReadonlySet<string>; links: Links }) {
  const { met, failed, links } = props
  return (
    <Section title="Trouble that it met" count={met.length}>
      {met.length === 0 ? (
        <p class="soft">None: everything went well in this sandbox so far.</p>
      ) : (
        <DataTable
          name="Trouble"
          columns={[
            { label: 'trouble', cell: ({ title }) => title, class: 'long' },
            { label: 'times', cell: ({ times }) => times, class: 'number' },
            {
              label: 'what the platform did then',
              cell: ({ rules }) =>
                rules.length === 0
                  ? 'nothing that a rule finds'
                  : rules.map((rule) => (
                      <>
                        <span class={`chip ${toneOf(failed.has(rule) ? 'error' : 'warning')}`}>
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
      )}
    </Section>
  )
}

function TroubleNeverMet({ never }: { never: readonly Trouble[] }) {
  if (never.length === 0) return null
  return (
    <Section title="Trouble that it never met" count={never.length}>
      <p class="soft">What the platform does then is not known: no test tried it in this sandbox.</p>
      <ul class="never">
        {never.map(({ title }) => (
          <li>{title}</li>
        ))}
      </ul>
    </Section>
  )
}

const NAMED_SHOWN = 6
/** A platform that does one thing wrong does it with each order. */
const FINDINGS_SHOWN = 100

interface NamedProps {
  ids: readonly string[]
  /** How many there are, where `ids` are only the first ones. */
  count?: number
  links: Links
}

function Named({ ids, count = ids.length, links }: NamedProps) {
  return (
    <div>
      {ids.slice(0, NAMED_SHOWN).map((id) => (
        <>
          <Id id={id} links={links} />{' '}
        </>
      ))}
      {count > NAMED_SHOWN && <span class="soft">and {count - NAMED_SHOWN} more</span>}
    </div>
  )
}
