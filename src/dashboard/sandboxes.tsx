/** Sandboxes: this one's settings and snapshots, and all the others. */
import { RESET_KINDS } from '../contract/tester.ts'
import type { SandboxDescription, SnapshotDescription } from '../control/shapes.ts'
import { Action, Labeled, Section, Terms } from './blocks.tsx'
import { DashboardFrame } from './frame.tsx'
import { linksOf } from './links.ts'
import type { View } from './view.ts'

export interface SandboxesProps {
  view: View
  description: SandboxDescription
  snapshots: readonly SnapshotDescription[]
  all: readonly SandboxDescription[]
}

export function SandboxesPage({ view, description, snapshots, all }: SandboxesProps) {
  return (
    <DashboardFrame view={view} title="Sandboxes">
      <h1>Sandboxes</h1>
      <div class="columns even">
        <div class="stack">
          <ThisOne view={view} description={description} />
          <Snapshots view={view} snapshots={snapshots} />
          <Reset view={view} />
        </div>
        <div class="stack">
          <AllOfThem view={view} all={all} />
          <NewOne view={view} snapshots={snapshots} all={all} />
        </div>
      </div>
    </DashboardFrame>
  )
}

function ThisOne({ view, description }: { view: View; description: SandboxDescription }) {
  const { name, apiKey, rateLimit, refundDelay, requireApproval, seed, expiresAt } = description
  return (
    <Section title={`This one: ${name}`}>
      <Terms
        terms={[
          { term: 'x-api-key', detail: <code>{apiKey}</code> },
          { term: 'Rate limit', detail: rateLimit === 'off' ? 'off' : `${rateLimit} a minute for each IP` },
          { term: 'Refunds complete after', detail: refundDelay },
          { term: 'Confirm needs a buyer', detail: requireApproval ? 'yes' : 'no' },
          { term: 'Seed', detail: seed === null ? 'one that nobody can guess' : String(seed) },
          ...(expiresAt ? [{ term: 'Removed by itself', detail: expiresAt }] : []),
        ]}
      />
      {view.sandbox !== 'default' && (
        <Action view={view} deed="removeSandbox" fields={{ name }} label="Remove this sandbox" look="risky" />
      )}
    </Section>
  )
}

function Snapshots({ view, snapshots }: { view: View; snapshots: readonly SnapshotDescription[] }) {
  return (
    <Section title="Snapshots" count={snapshots.length}>
      <p class="soft">A snapshot is the whole state, what is due included. Going back takes milliseconds.</p>
      {snapshots.length > 0 && (
        <ul class="list-block">
          {snapshots.map(({ name, bytes }) => (
            <li>
              <div>
                <b>{name}</b>
                <p class="soft">{Math.ceil(bytes / 1024).toLocaleString('en-US')} KB</p>
              </div>
              <a
                class="knob bare"
                href={view.links.page(`snapshots/${encodeURIComponent(name)}`)}
                download={`${name}.sqlite`}
              >
                Download<span class="hidden-text"> {name}</span>
              </a>
              <Action view={view} deed="restore" fields={{ name }} label="Go back to it" about={name} />
              <Action
                view={view}
                deed="forgetSnapshot"
                fields={{ name }}
                label="Forget"
                about={name}
                look="risky"
              />
            </li>
          ))}
        </ul>
      )}
      <Action view={view} deed="snapshot" label="Take one" look="main">
        <Labeled label="Name">
          <input class="text" name="name" placeholder="the next number" />
        </Labeled>
      </Action>
    </Section>
  )
}

const RESETS: Record<(typeof RESET_KINDS)[number], string> = {
  state: 'resources, events, money and messages',
  journal: 'requests',
  behaviors: 'what is armed',
  clock: 'to where it started',
  limits: 'who has asked how often',
}

function Reset({ view }: { view: View }) {
  return (
    <Section title="Start over">
      <p class="soft">The key, the settings and the webhook endpoint stay.</p>
      <Action view={view} deed="reset" shown={{ what: RESET_KINDS }} label="Reset" look="risky">
        <fieldset class="checks">
          <legend class="hidden-text">What to reset</legend>
          {RESET_KINDS.map((kind) => (
            <label>
              <input type="checkbox" name="what" value={kind} checked />
              <span>
                <b>{kind}</b> <span class="soft">{RESETS[kind]}</span>
              </span>
            </label>
          ))}
        </fieldset>
      </Action>
    </Section>
  )
}

function AllOfThem({ view, all }: { view: View; all: readonly SandboxDescription[] }) {
  return (
    <Section title="All" count={all.length}>
      <ul class="list-block">
        {all.map(({ name, apiKey, clock }) => (
          <li>
            <div>
              {name === view.sandbox ? <b>{name}</b> : <a href={linksOf(name).page('sandboxes')}>{name}</a>}
              <p class="soft">
                <code>{apiKey}</code>
              </p>
            </div>
            <span class={clock.frozen ? 'chip way' : 'chip good'}>{clock.frozen ? 'frozen' : 'running'}</span>
          </li>
        ))}
      </ul>
    </Section>
  )
}

type NewProps = Pick<SandboxesProps, 'view' | 'snapshots' | 'all'>

function NewOne({ view, snapshots, all }: NewProps) {
  return (
    <Section title="One more">
      <p class="soft">Two sandboxes share nothing. A fork is a copy of another one as it is now.</p>
      <Action view={view} deed="createSandbox" shown={{ name: 'shop', from: '' }} label="Create" look="main">
        <Labeled label="Name">
          <input class="text" name="name" placeholder="the next number" />
        </Labeled>
        <Labeled label="From">
          <select name="from">
            <option value="">nothing</option>
            {all.map(({ name }) => (
              <option value={name}>{name} as it is now</option>
            ))}
            {snapshots.map(({ name }) => (
              <option value={`${view.sandbox}/${name}`}>{name}, a snapshot</option>
            ))}
          </select>
        </Labeled>
        <Labeled label="Clock">
          <select name="clock">
            <option value="">as usual</option>
            <option value="real">runs</option>
            <option value="frozen">stands still</option>
          </select>
        </Labeled>
      </Action>
    </Section>
  )
}
