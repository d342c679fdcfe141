/** Two sandboxes beside each other: settings, money, counts, and each resource that is not the same in both. */

import { contractOf } from '../../spec/contract/contract.ts'
import { counted } from '../../spec/contract/counted.ts'
import { notFound } from '../../spec/contract/errors.ts'
import { fromMajor, moneyText } from '../../spec/contract/money.ts'
import { DEFAULT_SANDBOX } from '../../spec/options/sandbox.ts'
import {
  compareSandboxes,
  type DifferentPair,
  type FieldDifference,
  type KindComparison,
  textOf,
} from '../../tester/control/compare-sandboxes.ts'
import type { SandboxControl, Sandboxes } from '../../tester/control/control.ts'
import type { ResourceRow } from '../../tester/control/resources.ts'
import type { SandboxDescription } from '../../tester/control/shapes.ts'
import { inTurns } from '../../tester/control/turns.ts'
import { Notice } from '../blocks.tsx'
import { Id, Section, State } from './blocks.tsx'
import { LabeledField } from './fields.tsx'
import { DashboardFrame } from './frame.tsx'
import { KINDS, type Kind } from './kinds.ts'
import { type Links, linksOf, type SandboxLinks } from './links.ts'
import { type PageRequest, pageRoute } from './page-request.ts'
import { Differences } from './request.tsx'
import { contractUnder, type View } from './view.ts'

export function CompareForm({ view, chosen }: { view: View; chosen?: string }) {
  const others = view.sandboxes.filter((name) => name !== view.sandbox)
  if (others.length === 0) return <p class="soft">There is no other sandbox to compare with.</p>
  return (
    <form class="filter" action={view.links.page('compare')}>
      <LabeledField name="with" label={`Compare ${view.sandbox} with`} options={others} value={chosen} />
      <button class="knob" type="submit">
        Compare
      </button>
    </form>
  )
}

export const comparePage = pageRoute({
  path: '/compare',
  here: 'sandboxes',
  load: loadCompared,
  view: ComparePage,
})

/** Compares with another sandbox of this simulator. */
async function loadCompared({ c, control, dashboard }: PageRequest) {
  const other = dashboard.sandboxes.find(c.req.query('with') ?? anotherThan(control, dashboard.sandboxes))
  const ours = await control.browse.resourcesByKind()
  const theirs = await other.browse.resourcesByKind()
  const contract = contractUnder(other)
  const ids = [contractUnder(control).ids, contract.ids]
  return {
    kinds: await inTurns(() => compareSandboxes(ours.resources, theirs.resources, ids)),
    first: await comparedSandbox(control),
    second: await comparedSandbox(other),
    contract,
    orderName: other.browse.orderName,
    /** Whether one has more resources than were read. */
    cut: ours.cut || theirs.cut,
  }
}

/** `default`, or beside it the first of the others. */
function anotherThan({ name: own }: SandboxControl, sandboxes: Sandboxes): string {
  if (own !== DEFAULT_SANDBOX) return DEFAULT_SANDBOX
  const other = sandboxes.sandboxes().find(({ name }) => name !== own)
  if (!other) throw notFound('Another sandbox')
  return other.name
}

/** One of the two sandboxes, without its resources. */
async function comparedSandbox(control: SandboxControl) {
  const { browse } = control
  const { events } = await browse.overview()
  return {
    name: control.name,
    description: control.describe(),
    sums: await browse.sums(),
    counts: { events, messages: browse.countMessages(), 'armed behaviors': control.behaviors().length },
  }
}

type Data = Awaited<ReturnType<typeof loadCompared>>

function ComparePage(view: View, { first, second, kinds, cut, contract, orderName }: Data) {
  const titles = [first.name, second.name] as const
  const settings = settingsThatDiffer(first.description, second.description)
  const figures = [
    ...rowsThatDiffer(first.counts, second.counts),
    ...rowsThatDiffer(sumTexts(first), sumTexts(second)),
  ]
  const differing = kinds.reduce(
    (sum, { different, onlyFirst, onlySecond }) =>
      sum + different.length + onlyFirst.length + onlySecond.length,
    0,
  )
  const links = [view.links, linksOf(second.name, contract, orderName)] as const
  return (
    <DashboardFrame
      view={view}
      title={`${first.name} and ${second.name}`}
      above={<a href={view.links.page('sandboxes')}>Sandboxes</a>}
    >
      <CompareForm view={view} chosen={second.name} />
      <Notice tone={differing === 0 ? 'good' : 'plain'}>
        <p>
          {differing === 0
            ? 'Every resource is the same in both, but for ids and times.'
            : `${counted(differing, 'resource')} ${differing === 1 ? 'is' : 'are'} not the same in both.`}
          {cut && ' Only the first resources of each kind were compared, as there are too many.'}
        </p>
      </Notice>
      <div class="stack two-sides">
        <TwoColumns title="Counts and sums" rows={figures} titles={titles} links={view.links} />
        {KINDS.map((kind) => (
          <KindSection
            kind={kind}
            compared={kinds.find(({ name }) => name === kind.name)!}
            titles={titles}
            links={links}
          />
        ))}
        <TwoColumns title="Settings" rows={settings} titles={titles} links={view.links} />
      </div>
    </DashboardFrame>
  )
}

/** The ledger's amounts as money, its counts as they are. */
const sumTexts = ({
  sums,
  description,
}: Awaited<ReturnType<typeof comparedSandbox>>): Record<string, unknown> => {
  const { charged, captured, refunded, ...counts } = sums
  const { currency } = contractOf(description.profile ?? undefined)
  const text = (amount: number) => moneyText(fromMajor(amount), currency)
  return { charged: text(charged), captured: text(captured), refunded: text(refunded), ...counts }
}

type Titles = readonly [first: string, second: string]
type BothLinks = readonly [first: SandboxLinks, second: SandboxLinks]

type TwoColumnsProps = { title: string; rows: readonly FieldDifference[]; titles: Titles; links: Links }

function TwoColumns({ title, rows, titles, links }: TwoColumnsProps) {
  return (
    <Section title={title} none={rows.length === 0 && `The ${title.toLowerCase()} are the same.`}>
      <Differences name={title} titles={titles} differences={rows} links={links} />
    </Section>
  )
}

type KindProps = { kind: Kind; compared: KindComparison; titles: Titles; links: BothLinks }

function KindSection({ kind, compared, titles, links }: KindProps) {
  const { same, different, onlyFirst, onlySecond } = compared
  if (same + different.length + onlyFirst.length + onlySecond.length === 0) return null
  return (
    <Section title={kind.title} aside={<span class="soft">{same.toLocaleString('en-US')} the same</span>}>
      {different.slice(0, SHOWN).map((pair) => (
        <div>
          <PairTitle pair={pair} links={links} />
          <Differences
            name={`What differs in ${pair.first.id}`}
            titles={titles}
            differences={pair.fields}
            links={links[1]}
          />
        </div>
      ))}
      {different.length > SHOWN && <p class="soft">and {different.length - SHOWN} more that differ</p>}
      <Only kind={kind} sandbox={titles[0]} rows={onlyFirst} links={links[0]} />
      <Only kind={kind} sandbox={titles[1]} rows={onlySecond} links={links[1]} />
    </Section>
  )
}

/** The ids of a pair; one if both are the same, as in a copy. */
function PairTitle({ pair: { first, second }, links }: { pair: DifferentPair; links: BothLinks }) {
  const [ours, theirs] = links
  return (
    <h3>
      {referenceOf(first, ours)} <Id id={first.id} links={ours} />
      {first.id === second.id ? ' in both' : ' and '}
      {first.id !== second.id && <Id id={second.id} links={theirs} />}
    </h3>
  )
}

function referenceOf({ id, externalId, amount }: ResourceRow, { currency, orderName }: SandboxLinks): string {
  const money = typeof amount === 'number' && moneyText(fromMajor(amount), currency)
  return [orderName(id), externalId, money].filter(Boolean).join(' · ')
}

/** How many rows of each kind are shown. */
const SHOWN = 50

/** So few are shown without a click. */
const UNFOLDED = 3

type OnlyProps = { kind: Kind; sandbox: string; rows: readonly ResourceRow[]; links: SandboxLinks }

function Only({ kind: { one, title, page }, sandbox, rows, links }: OnlyProps) {
  if (rows.length === 0) return null
  return (
    <details open={rows.length <= UNFOLDED}>
      <summary>
        {counted(rows.length, one.toLowerCase())} only in {sandbox}
      </summary>
      <ul class="only">
        {rows.slice(0, SHOWN).map((row) => (
          <li>
            {referenceOf(row, links)} {typeof row.status === 'string' && <State name={row.status} />}{' '}
            <Id id={row.id} links={links} />
          </li>
        ))}
      </ul>
      {rows.length > SHOWN && page && (
        <a href={links.page(`resources/${page}`)}>
          All {title.toLowerCase()} of {sandbox}
        </a>
      )}
    </details>
  )
}

const READ_WITHIN_MS = 5000
/** Fields that belong to one sandbox only, such as its key; not compared. */
const OWN = ['name', 'url', 'apiKey', 'expiresAt']

function settingsThatDiffer(first: SandboxDescription, second: SandboxDescription): FieldDifference[] {
  const flat = ({ webhook, clock, ...settings }: SandboxDescription): Record<string, unknown> => ({
    ...settings,
    clock: `${clock.now}${clock.frozen ? ', frozen' : ''}`,
    webhook: webhook === null ? null : `${webhook.url} ${webhook.events.join(', ')}`,
  })
  // Clocks that run are read one after the other, so they differ a little though they are alike.
  const isOneTime = Math.abs(Date.parse(first.clock.now) - Date.parse(second.clock.now)) < READ_WITHIN_MS
  const areAlike = isOneTime && !first.clock.frozen && !second.clock.frozen
  const left = areAlike ? [...OWN, 'clock'] : OWN
  return rowsThatDiffer(flat(first), flat(second)).filter(({ path }) => !left.includes(path))
}

function rowsThatDiffer(
  first: Readonly<Record<string, unknown>>,
  second: Readonly<Record<string, unknown>>,
): FieldDifference[] {
  return Object.keys(first).flatMap((field) => {
    const [one, other] = [textOf(first[field]), textOf(second[field])]
    return one === other ? [] : [{ path: field, first: one, now: other }]
  })
}
