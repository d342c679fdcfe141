/** Reference: staging's magic values, all endpoints, and the decisions where the spec is silent. */

import { operationsUnder } from '../../service/operations/table.ts'
import { counted } from '../../spec/contract/counted.ts'
import { PROFILE_KEYS } from '../../spec/contract/profile.ts'
import type { ProfiledDecision } from '../../spec/contract/profiled-decision.ts'
import { DataTable, Section } from './blocks.tsx'
import { DashboardFrame } from './frame.tsx'
import { KINDS } from './kinds.ts'
import { pageRoute } from './page-request.ts'
import { States } from './states.tsx'
import { contractUnder } from './view.ts'

export const referencePage = pageRoute({
  path: '/reference',
  load: ({ control }) => ({
    operations: operationsUnder(contractUnder(control)),
    magic: control.magic(),
    decisions: control.decisions(),
  }),
  view: (view, { operations, magic, decisions }) => (
    <DashboardFrame view={view} title="Reference">
      <p class="soft">
        Documents: <a href={`/openapi.json?sandbox=${view.sandbox}`}>OpenAPI of /v1</a>,{' '}
        <a href="/_sim/openapi.json">OpenAPI of /_sim</a>.
      </p>
      <Section title="Magic values">
        <p class="soft">
          {magic.length > 0
            ? 'Type these on the hosted page to get a known result.'
            : 'Production has none. Every log-in has a code of its own, in the outbox.'}
        </p>
        {magic.length > 0 && (
          <DataTable
            name="Magic values"
            columns={[
              { label: 'field', cell: ({ what }) => what },
              { label: 'value', cell: ({ value }) => <code>{value}</code> },
              { label: 'where', cell: ({ where }) => where, class: 'whole' },
              { label: 'result', cell: ({ why }) => why, class: 'long' },
            ]}
            rows={magic}
          />
        )}
      </Section>
      <Section title="States of the resources">
        <p class="soft">All states of each resource, and the changes between them that are permitted.</p>
        <div class="kinds">
          {KINDS.flatMap(({ moves, one, title }) =>
            moves
              ? [
                  <div>
                    <h3>{title}</h3>
                    <States name={`a ${one.toLowerCase()}`} moves={moves} />
                  </div>,
                ]
              : [],
          )}
        </div>
      </Section>
      <Section title="Endpoints" count={operations.length}>
        <DataTable
          name="Endpoints"
          columns={[
            {
              label: 'request',
              cell: ({ method, path }) => (
                <code>
                  {method} {path}
                </code>
              ),
              class: 'long',
            },
            {
              label: 'operation',
              cell: ({ id }) => <a href={view.links.page('requests', { op: id })}>{id}</a>,
              class: 'whole',
            },
            { label: 'what it does', cell: ({ summary }) => summary, class: 'long' },
            {
              label: 'Idempotency-Key',
              cell: ({ honorsKey }) => (honorsKey ? 'honored' : <span class="soft">ignored</span>),
            },
            {
              label: 'error statuses',
              cell: ({ refusals }) => refusals.join(', ') || <span class="soft">–</span>,
            },
          ]}
          rows={operations}
        />
      </Section>
      <Section title="Decisions where the spec is silent" count={decisions.length}>
        <p class="soft">If you know the real service, check these against it.</p>
        <DataTable
          name="Decisions"
          columns={[
            { label: 'no.', cell: ({ id }) => id, class: 'whole' },
            { label: 'about', cell: ({ topic }) => topic },
            {
              label: 'choice',
              cell: (decision) => (
                <>
                  {decision.choice}
                  <ProfileValues decision={decision} />
                </>
              ),
              class: 'long',
            },
            { label: 'mark', cell: ({ mark }) => mark, class: 'whole' },
            { label: 'spec', cell: ({ spec }) => spec, class: 'whole' },
          ]}
          rows={decisions}
          idOf={({ id }) => id}
        />
      </Section>
    </DashboardFrame>
  ),
})

/** The profile keys of a decision, with their values in this sandbox. */
function ProfileValues({ decision: { id, profile } }: { decision: ProfiledDecision }) {
  const keys = PROFILE_KEYS.filter(({ decision }) => decision === id)
  const [changed, usual] = [true, false].map((isChanged) =>
    keys.filter(({ key }) => Object.hasOwn(profile, key) === isChanged),
  )
  return (
    <>
      {changed!.map(({ key }) => (
        <div>
          Here <code>{key}</code> is <code>{JSON.stringify(profile[key])}</code>.
        </div>
      ))}
      {usual!.length > 0 && (
        <details>
          <summary>{counted(usual!.length, 'profile value')}, as by default</summary>
          <ul>
            {usual!.map(({ key, fallback }) => (
              <li>
                <code>{key}</code>: <code>{JSON.stringify(fallback)}</code>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}
