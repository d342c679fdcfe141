/**
 * A timeline as a list: each moment is a row of a grid, which style sheets lay out for every width. A shape or a word repeats
 * what each color means, for people who cannot distinguish colors (WCAG 1.4.1).
 */
import { AttemptStatus, lossText, StatusBadge, stateTone, TargetPath } from './blocks.tsx'
import type { Links } from './links.ts'
import { type Change, type Moment, reachedOperation, type TimelineRequest } from './moments.ts'
import { dateText, gapText, tailOf, timeText } from './text.ts'

/** A longer gap is written between the rows. */
const GAP_MS = 60_000

interface TimelineProps {
  /** The resource of the timeline. */
  subject: string
  moments: readonly Moment[]
  again: ReadonlyMap<string, string>
  links: Links
}

export function Timeline({ subject, moments, again, links }: TimelineProps) {
  let tone = ''
  return (
    <div class="timeline">
      <div class="heads" aria-hidden="true">
        <span class="asked">platform</span>
        <span class="effects">{links.named(subject)}, and its webhooks</span>
      </div>
      <ol aria-label="Timeline">
        {moments.map((moment, index) => {
          const { at, changes } = moment
          const before = moments[index - 1]?.at
          const gap = before === undefined ? 0 : at - before
          const isNewDay = before === undefined || dateText(before) !== dateText(at)
          const state = changes.findLast(({ resourceId }) => resourceId === subject)?.state
          if (state) tone = stateTone(state)
          return (
            <>
              {(isNewDay || gap >= GAP_MS) && (
                <li class="pause">
                  {isNewDay && <b>{dateText(at)}</b>}
                  {gap >= GAP_MS && <span>{gapText(gap)} later</span>}
                </li>
              )}
              <li class="moment">
                <time class={gap === 0 && index > 0 ? 'same' : undefined} aria-hidden="true">
                  {timeText(at)}
                </time>
                <Asked moment={moment} again={again} links={links} />
                <i class={`line ${tone}`} aria-hidden="true" />
                <div class="effects">
                  {moment.attempt && <Attempt {...moment} attempt={moment.attempt} links={links} />}
                  {changes.map((change) => (
                    <ChangeLine change={change} at={at} links={links} />
                  ))}
                </div>
              </li>
            </>
          )
        })}
      </ol>
    </div>
  )
}

/** The time, for screen readers only: the name of each link contains it. */
const At = ({ at }: { at: number }) => <span class="hidden-text">{timeText(at)} </span>

type AskedProps = {
  moment: Moment
  /** How a request moved money again, by its id. */
  again: ReadonlyMap<string, string>
  links: Links
}

function Asked({ moment, again, links }: AskedProps) {
  const { at, count, request, cause, changes } = moment
  if (!request) return cause && <span class="asked cause">{cause}</span>
  const { id, method, target, status, fault, verdict } = request
  const harm = again.get(id)
  const notes = notesOf(request, changes)
  const looks = [fault !== null && 'lost', verdict === 'replayed' && 'replayed'].filter(Boolean)
  return (
    <div class="asked">
      <a href={links.any(id)} class={['request', ...looks].join(' ')}>
        <span class="what">
          <At at={at} />
          <b>{method}</b> <TargetPath target={target} links={links} />
          {count > 1 && ` ×${count}`}
        </span>{' '}
        <StatusBadge status={status} fault={fault} isBad={harm !== undefined} />
      </a>
      {harm && <p class="note bad">{harm}</p>}
      {notes.length > 0 && <p class={fault === null ? 'note' : 'note wait'}>{notes.join(' · ')}</p>}
    </div>
  )
}

function notesOf(request: TimelineRequest, changes: readonly Change[]): string[] {
  const { verdict, fault, status, key, fired } = request
  // A behavior that changed an event or its deliveries is named next to the event.
  const named = changes.flatMap(({ changedBy }) => changedBy)
  return [
    ...(verdict === 'replayed' ? ['replayed'] : []),
    ...(fault !== null
      ? [`${lossText(fault)}, ${reachedOperation(request) ? 'after the commit' : 'before it ran'}`]
      : status === null
        ? ['in flight']
        : []),
    ...fired.filter((behavior) => !named.includes(behavior)),
    ...(key !== null ? [`key ${tailOf(key)}`] : []),
  ]
}

function ChangeLine({ change, at, links }: { change: Change; at: number; links: Links }) {
  const { eventId, type, resourceId, state, changedBy } = change
  // The state is written only if the event's name does not imply it, such as after `created`.
  const isSaid = state === null || type.endsWith(`.${state}`)
  return (
    <p>
      <a
        class={`change ${state === null ? 'event' : stateTone(state)}`}
        href={links.any(eventId)}
        title={resourceId}
      >
        <At at={at} />
        {type}
        {!isSaid && ` · ${state}`}
      </a>
      {changedBy.length > 0 && <span class="note wait"> {changedBy.join(', ')}</span>}
    </p>
  )
}

type AttemptProps = Pick<Moment, 'at' | 'count'> & { attempt: NonNullable<Moment['attempt']>; links: Links }

const Attempt = ({ at, count, attempt: { delivery, type, status, place }, links }: AttemptProps) => (
  <>
    <a class="attempt" href={links.any(delivery.id)}>
      <span class="what">
        <At at={at} />
        <span class="soft">webhook </span>
        {type}
      </span>{' '}
      <AttemptStatus status={status} count={count} />
    </a>
    {place && <p class="note">{place}</p>}
  </>
)
