/**
 * A timeline as a list: each moment is a row of a grid, which style sheets lay out for every width. A shape or a word repeats
 * what each color means, for people who cannot distinguish colors (WCAG 1.4.1).
 */
import { lossText, StatusBadge, statusTone } from './blocks.tsx'
import type { Links } from './links.ts'
import { tailOf, timeText } from './text.ts'
import {
  type AttemptMoment,
  type ChangeMoment,
  type Effect,
  isTaken,
  type RequestMoment,
  type Timeline,
} from './timeline-model.ts'
import { type RailPart, rowsOf, type TimelineRow, type TrackPart } from './timeline-rows.ts'

interface TimelineListProps {
  timeline: Timeline
  links: Links
}

export function TimelineList({ timeline, links }: TimelineListProps) {
  const { subject } = timeline
  const rows = rowsOf(timeline)
  return (
    <div class="timeline">
      <div class="heads" aria-hidden="true">
        <span class="asked">platform</span>
        <span class="told">{links.named(subject)}</span>
        <span class="end">webhook receiver</span>
      </div>
      <ol aria-label="Timeline">
        {rows.map((row) => (
          <>
            {(row.day ?? row.later) !== null && (
              <li class="pause">
                {row.later && <span>{row.later}</span>}
                {row.day && <b>{row.day}</b>}
              </li>
            )}
            <Row row={row} links={links} />
          </>
        ))}
      </ol>
    </div>
  )
}

function Row({ row, links }: { row: TimelineRow; links: Links }) {
  const { moment, keys, tracks, isSameInstant } = row
  const time = timeText(moment.at)
  return (
    <li class="moment">
      <time class={isSameInstant ? 'same' : undefined} aria-hidden="true">
        {time}
      </time>
      <Rails of={keys} />
      {moment.kind === 'request' && <Request row={row} moment={moment} time={time} links={links} />}
      {moment.kind === 'change' && <span class="asked cause">{CAUSES[moment.cause]}</span>}
      <span class="tracks" aria-hidden="true">
        {tracks.map((part) => (
          <Track part={part} />
        ))}
      </span>
      <div class="told">
        {moment.kind === 'attempt' ? (
          <Attempt moment={moment} count={row.count} time={time} links={links} />
        ) : (
          moment.effects.map((effect) => <Change effect={effect} time={time} links={links} />)
        )}
      </div>
    </li>
  )
}

export const CAUSES: Readonly<Record<ChangeMoment['cause'], string>> = {
  buyer: 'the buyer',
  time: 'time passed',
  unknown: 'no known request',
}

/** The time, for screen readers only: the name of each link contains it. */
const At = ({ time }: { time: string }) => <span class="hidden-text">{time} </span>

// Vertical lines

const Rails = ({ of: parts }: { of: readonly (RailPart | null)[] }) => (
  <span class="rails" aria-hidden="true">
    {parts.map((part) => (
      <i class={part ? `rail ${part.place} ${part.kind}` : undefined} />
    ))}
  </span>
)

function Track({ part: { above, at, below, isMain } }: { part: TrackPart }) {
  return (
    <i class={isMain ? 'track main' : 'track'}>
      <i class={above ?? undefined} />
      <i class={below ?? undefined} />
      {at && <b class={at} />}
    </i>
  )
}

// Moments

type RequestProps = { row: TimelineRow; moment: RequestMoment; time: string; links: Links }

/** A request with its arrow, which turns at the step that answered, and ends where its response was lost. */
function Request({ row: { count, keys }, moment, time, links }: RequestProps) {
  const { id, asked, status, ending, replayed, reached, again } = moment
  const looks = [again ? 'bad' : statusTone(status, ending), reached, replayed && 'replayed', lossOf(moment)]
  return (
    <div class="asked">
      <a href={links.any(id)} class={`request ${looks.filter(Boolean).join(' ')}`}>
        <span class="what">
          <At time={time} />
          <b>{asked.method}</b> {shownPath(asked.target, links)}
          {count > 1 && ` ×${count}`}
        </span>{' '}
        <StatusBadge status={status} fault={status === null ? ending : null} isBad={again !== undefined} />
        <Arrow />
      </a>
      {again && <p class="note">{again}</p>}
      <Note parts={noteOf(moment, keys)} />
    </div>
  )
}

const Arrow = () => (
  <span class="arrow" aria-hidden="true">
    <i class="out" />
    <i class="back" />
  </span>
)

/** The path, which may break before a segment but not within an id. */
const shownPath = (path: string, links: Links) =>
  path.split('/').map((part, index) => (
    <>
      {index > 0 && (
        <>
          <wbr />/
        </>
      )}
      {links.short(part)}
    </>
  ))

const Note = ({ parts }: { parts: readonly string[] }) =>
  parts.length > 0 && <p class="note">{parts.join(' · ')}</p>

const stopsIn = (keys: readonly (RailPart | null)[]) =>
  keys.filter((part) => part !== null && part.place !== 'through')

function noteOf(moment: RequestMoment, keys: readonly (RailPart | null)[]): string[] {
  const { replayed, ending, behaviors, status, reached, key } = moment
  return [
    ...(replayed ? ['replayed'] : []),
    ...(ending !== null
      ? [`${lossText(ending)}, ${reached === 'door' ? 'before it ran' : 'after the commit'}`]
      : status === null
        ? ['in flight']
        : []),
    ...behaviors,
    ...(key !== null && stopsIn(keys).length > 0 ? [`key ${tailOf(key)}`] : []),
  ]
}

/** The part of the response that the client did not get. */
const lossOf = ({ ending, arrives, reached }: RequestMoment) =>
  ending !== null &&
  arrives !== 'whole' &&
  (arrives === 'damaged' ? 'damaged' : reached === 'door' ? 'not-run' : 'lost')

function Change({ effect, time, links }: { effect: Effect; time: string; links: Links }) {
  const { eventId, type, resourceId, state, changedBy } = effect
  // The state is written only if the event's name does not imply it, such as after `created`.
  const isSaid = state === null || type.endsWith(`.${state}`)
  return (
    <p>
      <a
        class={changedBy.length === 0 ? 'change' : 'change troubled'}
        href={links.any(eventId)}
        title={resourceId}
      >
        <At time={time} />
        {type}
        {!isSaid && ` · ${state}`}
      </a>
      {changedBy.length > 0 && <span class="note troubled"> {changedBy.join(', ')}</span>}
    </p>
  )
}

type AttemptProps = { moment: AttemptMoment; count: number; time: string; links: Links }

function Attempt({ moment: { deliveryId, type, delivery, status }, count, time, links }: AttemptProps) {
  return (
    <>
      <a
        class={`attempt ${isTaken(status) ? 'taken' : status === null ? 'failed lost' : 'failed'}`}
        href={links.any(deliveryId)}
      >
        <span class="what">
          <At time={time} />
          <span class="hidden-text">webhook </span>
          {type}
        </span>{' '}
        <StatusBadge status={status} fault={status === null ? 'no answer' : null} />
        <Arrow />
      </a>
      <Note
        parts={[
          ...(delivery === null ? [] : [`delivery ${delivery}`]),
          ...(count > 1 ? [`${count} attempts`] : []),
        ]}
      />
    </>
  )
}
