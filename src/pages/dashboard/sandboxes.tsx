/** The settings and snapshots of this sandbox, and the list of all sandboxes. */
import { capitalized, withCommas } from '../../spec/contract/counted.ts'
import { byDelayOption } from '../../spec/contract/resources/timed.ts'
import { metaOf } from '../../spec/options/option.ts'
import { SANDBOX_OPTIONS } from '../../spec/options/sandbox.ts'
import type { SandboxDescription, SnapshotDescription } from '../../tester/control/shapes.ts'
import { Terms } from '../blocks.tsx'
import { Action, ActionField, Section, State } from './blocks.tsx'
import { DashboardFrame } from './frame.tsx'
import { inputOf } from './kinds.ts'
import { linksOf } from './links.ts'
import { ROWS_SHOWN, routeTo } from './page-request.ts'
import type { View } from './view.ts'

export const sandboxesPage = routeTo('/sandboxes', ({ control, view, dashboard: { sandboxes } }) => {
  const snapshots = control.snapshots.list()
  /** Only the latest, if there are many. */
  const all = sandboxes.list({ limit: ROWS_SHOWN }).data
  const page = (
    <DashboardFrame view={view} title="Sandboxes">
      <div class="columns even">
        <div class="stack">
          <ThisSandbox view={view} description={control.describe()} />
          <Snapshots view={view} snapshots={snapshots} />
          <Section title="Reset">
            <p class="soft">
              Removes all data, requests and behaviors. API key, settings and webhook endpoint are kept.
            </p>
            <Action view={view} action="reset" label="Reset" />
          </Section>
        </div>
        <div class="stack">
          <AllSandboxes view={view} all={all} count={sandboxes.sandboxes().length} />
          <NewSandboxForm view={view} snapshots={snapshots} all={all} />
        </div>
      </div>
    </DashboardFrame>
  )
  return { page }
})

const { rateLimit, requireApproval } = SANDBOX_OPTIONS

/** What can be changed while a sandbox runs. */
const SETTINGS = { rateLimit, ...byDelayOption((option) => SANDBOX_OPTIONS[option]), requireApproval }

function ThisSandbox({ view, description }: { view: View; description: SandboxDescription }) {
  const { environment, apiKey, seed, expiresAt } = description
  return (
    <Section title={`This sandbox: ${view.sandbox}`}>
      <Terms
        terms={[
          ['Environment', environment === 'production' ? <span class="chip">production</span> : environment],
          ['x-api-key', <code>{apiKey}</code>],
          ['Seed', seed === null ? 'random' : String(seed)],
          ...(expiresAt ? [['Removed automatically', expiresAt] as const] : []),
        ]}
      />
      <Action view={view} action="configure" label="Save settings">
        {Object.entries(SETTINGS).map(([name, schema]) => (
          <ActionField
            name={name}
            label={capitalized(metaOf(schema)!.help)}
            value={String(description[name as keyof typeof SETTINGS])}
            {...inputOf(schema)}
          />
        ))}
      </Action>
      {view.sandbox !== 'default' && (
        <Action
          view={view}
          action="sandboxes.remove"
          fields={{ sandbox: view.sandbox }}
          label="Remove this sandbox"
        />
      )}
    </Section>
  )
}

function Snapshots({ view, snapshots }: { view: View; snapshots: readonly SnapshotDescription[] }) {
  return (
    <Section title="Snapshots" count={snapshots.length}>
      <p class="soft">
        A snapshot is a copy of all data, including pending work. Restoring it takes milliseconds.
      </p>
      {snapshots.length > 0 && (
        <ul class="items">
          {snapshots.map(({ name, bytes }) => (
            <li>
              <div>
                <b>{name}</b>
                <p class="soft">{withCommas(Math.ceil(bytes / 1024))} KB</p>
              </div>
              <Action view={view} action="restore" fields={{ name }} label="Restore" about={name} />
              <Action view={view} action="snapshots.remove" fields={{ name }} label="Remove" about={name} />
            </li>
          ))}
        </ul>
      )}
      <Action view={view} action="snapshot" label="Take snapshot" look="main">
        <ActionField name="name" label="Name" placeholder="the next number" />
      </Action>
    </Section>
  )
}

type AllProps = { view: View; all: readonly SandboxDescription[]; count: number }

function AllSandboxes({ view, all, count }: AllProps) {
  return (
    <Section title="All sandboxes" count={count}>
      {count > all.length && <p class="soft">The latest {all.length} are listed.</p>}
      <ul class="items">
        {all.map(({ environment, name, apiKey, clock }) => (
          <li id={name} data-id={name}>
            <div>
              {name === view.sandbox ? <b>{name}</b> : <a href={linksOf(name).page('sandboxes')}>{name}</a>}
              <p class="soft">
                <code>{apiKey}</code>
              </p>
            </div>
            {environment === 'production' && <span class="chip">production</span>}
            <State name={clock.frozen ? 'frozen' : 'running'} />
          </li>
        ))}
      </ul>
    </Section>
  )
}

const CLOCKS = [
  ['', 'default'],
  ['real', 'running'],
  ['frozen', 'frozen'],
] as const

type NewProps = { view: View; snapshots: readonly SnapshotDescription[]; all: readonly SandboxDescription[] }

function NewSandboxForm({ view, snapshots, all }: NewProps) {
  return (
    <Section title="New sandbox">
      <p class="soft">
        Sandboxes share no data. A new one starts empty, or as a copy of a sandbox or of a snapshot.
      </p>
      <Action view={view} action="sandboxes.create" label="Create" look="main">
        <ActionField name="name" label="Name" placeholder="the next number" />
        <ActionField
          name="from"
          label="Start from"
          options={[
            ['', 'nothing'],
            ...all.map(({ name }) => [name, `${name} as it is now`] as const),
            ...snapshots.map(({ name }) => [`${view.sandbox}/${name}`, `${name}, a snapshot`] as const),
          ]}
        />
        <ActionField name="clock" label="Clock" options={CLOCKS} />
      </Action>
    </Section>
  )
}
