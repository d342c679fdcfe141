/** Conduct: what the platform did that would hurt in production, and which trouble its tests never met. */
import type { Conduct, Finding } from '../conduct/judge.ts'
import { fromMajor } from '../contract/money.ts'
import { MoneyText } from '../pages/blocks.tsx'
import { DataTable, Empty, Id, Section } from './blocks.tsx'
import { DashboardFrame } from './frame.tsx'
import type { Links } from './links.ts'
import { counted } from './text.ts'
import type { View } from './view.ts'

export function ConductPage({ view, conduct }: { view: View; conduct: Conduct }) {
  const { errors, warnings, findings, ignored, coverage, requests, from, forgotten } = conduct
  return (
    <DashboardFrame view={view} title="Conduct">
      <h1>Conduct</h1>
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
                <span class={`chip ${severity === 'error' ? 'bad' : 'wait'}`}>
                  {rule} {severity}
                </span>
              ),
            },
            {
              label: 'finding',
              cell: ({ title, what }) => (
                <>
                  <b>{title}</b>
                  <br />
                  {what}
                </>
              ),
              class: 'long',
            },
            {
              label: 'see',
              cell: (finding) => <Named finding={finding} links={view.links} />,
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
                <>
                  {costs}
                  <br />
                  {todo}
                </>
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
      <Section title="Trouble">
        <p class="soft">What happened to the platform in this sandbox, and what its tests never tried.</p>
        <DataTable
          name="Trouble"
          columns={[
            { label: 'trouble', cell: ({ title }) => title, class: 'long' },
            {
              label: 'times',
              cell: ({ trouble, times }) =>
                times === 0 ? (
                  <span class="chip wait">never</span>
                ) : STATUS_OF[trouble] === undefined ? (
                  times
                ) : (
                  <a href={view.links.page('requests', { status: STATUS_OF[trouble] })}>{times}</a>
                ),
              class: 'number',
            },
          ]}
          rows={coverage}
        />
      </Section>
    </DashboardFrame>
  )
}

/** The troubles that are a status: the requests with it are listed. */
const STATUS_OF: Readonly<Record<string, string>> = {
  '5xx': '5xx',
  '429': '429',
  'key-reused': '422',
  invalid: '400',
  'not-found': '404',
}

const NAMED_SHOWN = 6
/** A platform that does one thing wrong does it with each order. */
const FINDINGS_SHOWN = 100

function Named({ finding, links }: { finding: Finding; links: Links }) {
  const named = [...finding.requests, ...finding.about]
  return (
    <>
      {named.slice(0, NAMED_SHOWN).map((id) => (
        <>
          <Id id={id} links={links} />{' '}
        </>
      ))}
      {named.length > NAMED_SHOWN && <span class="soft">and {named.length - NAMED_SHOWN} more</span>}
    </>
  )
}
