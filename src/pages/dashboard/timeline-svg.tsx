/**
 * Renders a timeline as SVG. Every mark is a link to the page that explains it. Colors come from the style sheet; a shape or
 * a word says the same as each color, for people who cannot tell colors apart (WCAG 1.4.1).
 */
import type { Links } from './links.ts'
import { stateTone } from './state-tones.ts'
import type {
  AttemptMark,
  EffectMark,
  Rail,
  RequestMark,
  TimelineLabel,
  TimelineLayout,
  Track,
} from './timeline-drawing.ts'

export interface TimelineSvgProps {
  drawing: TimelineLayout
  look: 'wide' | 'narrow'
  subject: string | null
  links: Links
}

export function TimelineSvg({ drawing, look, subject, links }: TimelineSvgProps) {
  const { width, height, lines } = drawing
  return (
    <figure class={`timeline ${look}`} aria-label="Timeline">
      <svg class="heads" viewBox={`0 0 ${width} 26`} aria-hidden="true">
        <text x={lines.platform} y={17}>
          platform
        </text>
        {look === 'wide' && (
          <text x={lines.gate - 4} y={17} class="end">
            gate
          </text>
        )}
        <text x={lines.service} y={17} class="center">
          {subject ? links.short(subject) : 'paysim'}
        </text>
        <text x={lines.receiver} y={17} class="end">
          {look === 'wide' ? 'webhook receiver' : 'receiver'}
        </text>
      </svg>
      <svg class="events-over-time" viewBox={`0 0 ${width} ${height}`}>
        <title>Requests, changes and deliveries from top to bottom</title>
        <g class="lifelines">
          <path d={`M${lines.platform} 0V${height}M${lines.receiver} 0V${height}`} />
          <path class="service" d={`M${lines.service} 0V${height}`} />
          <path class="gate" d={`M${lines.gate} 0V${height}`} />
        </g>
        {drawing.tracks.map((track) => (
          <StateTrack track={track} />
        ))}
        {drawing.rails.map((rail) => (
          <RailLine rail={rail} />
        ))}
        {drawing.pauses.map(({ y, text, broken }) => (
          <Pause y={y} text={text} broken={broken} width={width} />
        ))}
        {drawing.times.map(({ x, y, text }) => (
          <text class="time" x={x} y={y}>
            {text}
          </text>
        ))}
        {drawing.causes.map(({ x, y, text }) => (
          <text class="cause" x={x} y={y}>
            {text}
          </text>
        ))}
        {drawing.requests.map((mark) => (
          <RequestArrow mark={mark} href={links.request(mark.moment.id)} />
        ))}
        {drawing.effects.map((mark) => (
          <Change mark={mark} href={links.event(mark.effect.eventId)} />
        ))}
        {drawing.attempts.map((mark) => (
          <DeliveryArrow mark={mark} href={links.delivery(mark.moment.deliveryId)} />
        ))}
      </svg>
    </figure>
  )
}

/** A wavy line across the drawing: here the time axis is cut. */
function Pause({ y, text, broken, width }: { y: number; text: string; broken: boolean; width: number }) {
  const middle = y - 4
  const tooth = 9
  const teeth = Math.floor(width / tooth / 2)
  return (
    <g class="pause">
      {broken && <rect x={0} y={y - 15} width={width} height={22} />}
      {broken && <path d={`M0 ${middle}${`q${tooth / 2}-5 ${tooth} 0t${tooth} 0`.repeat(teeth)}`} />}
      <PauseText y={y} text={text} width={width} broken={broken} />
    </g>
  )
}

function PauseText({ y, text, width, broken }: { y: number; text: string; width: number; broken: boolean }) {
  const room = text.length * 7.2 + 20
  if (!broken) {
    return (
      <>
        <rect x={0} y={y - 13} width={room - 20} height={18} />
        <text x={0} y={y}>
          {text}
        </text>
      </>
    )
  }
  return (
    <>
      <rect x={width / 2 - room / 2} y={y - 15} width={room} height={22} rx={11} class="label" />
      <text x={width / 2} y={y} class="center">
        {text}
      </text>
    </>
  )
}

function StateTrack({ track: { x, parts, main, resourceId } }: { track: Track }) {
  return (
    <g class={main ? 'track main' : 'track'}>
      {parts.map(({ from, to, state }) => (
        <path class={`tone-${stateTone(state)}`} d={`M${x} ${from}V${Math.max(to, from + 0.1)}`}>
          <title>
            {resourceId}: {state}
          </title>
        </path>
      ))}
    </g>
  )
}

/** Connects the requests with one key, or the attempts of one delivery, with the first of them. */
function RailLine({ rail: { x, edge, stops } }: { rail: Rail }) {
  const first = stops[0]!
  const last = stops.at(-1)!
  const bend = Math.min(6, Math.abs(edge - x) / 2) * Math.sign(x - edge)
  const round = Math.abs(bend)
  return (
    <g class="rail">
      <path
        d={`M${edge} ${first.y}H${x - bend}q${bend} 0 ${bend} ${round}V${last.y - round}q0 ${round} ${-bend} ${round}H${edge}`}
      />
      {stops.slice(1, -1).map(({ y }) => (
        <path d={`M${x} ${y}H${edge}`} />
      ))}
      {stops.map(({ y, kind }) => (
        <circle cx={edge} cy={y} r={3.5} class={kind} />
      ))}
    </g>
  )
}

function RequestArrow({ mark, href }: { mark: RequestMark; href: string }) {
  const { moment, from, turn, out, back, lostAt, tone, label, status, note, count } = mark
  const replayed = moment.replayed ? ' replayed' : ''
  return (
    <a href={href} class={`request ${tone}${replayed}`}>
      <title>{requestTitle(mark)}</title>
      <rect class="reach" x={from} y={label.y - 12} width={turn - from} height={back - label.y + 18} />
      <path class="way" d={arrowPath(mark)} />
      {lostAt === null && moment.status !== null && (
        <path class="head" d={`M${from + 7} ${back - 4}L${from + 1} ${back}l6 4z`} />
      )}
      {lostAt !== null && <path class="lost" d={`M${lostAt - 4} ${lossY(mark) - 4}l8 8m0-8l-8 8`} />}
      {count > 1 && <path class="way again" d={`M${from} ${out - 3}H${turn - 6}`} />}
      <Text label={label} />
      {status && <Text label={status} of="status" />}
      {note && <Text label={note} of="note" />}
    </a>
  )
}

const lossY = ({ moment, out, back, turn, lostAt }: RequestMark) =>
  moment.reached === 'gate' && lostAt === turn ? out : back

/** To the service and back. The arrow of a lost answer ends where the answer was lost. */
function arrowPath({ moment, from, turn, out, back, lostAt }: RequestMark): string {
  const round = (back - out) / 2
  if (lostAt === turn) return `M${from} ${out}H${turn - 6}`
  const end =
    moment.status === null ? turn - 30 : lostAt !== null && lostAt > from + 40 ? lostAt + 7 : from + 2
  return `M${from} ${out}H${turn - round}a${round} ${round} 0 0 1 0 ${round * 2}H${end}`
}

function requestTitle({ moment, count }: RequestMark): string {
  const { method, path, status, replayed, fault, behaviors, id, key } = moment
  return [
    `${count > 1 ? `${count} × ` : ''}${method} ${path}`,
    status === null ? 'under way' : `answered ${status}${replayed ? ', replayed' : ''}`,
    ...(fault === null ? [] : [`connection: ${fault}`]),
    ...(key === null ? [] : [`key ${key}`]),
    ...behaviors.map((behavior) => `behavior ${behavior}`),
    id,
  ].join('\n')
}

function Change({ mark, href }: { mark: EffectMark; href: string }) {
  const { effect, x, y, label } = mark
  const tone = mark.tracked && effect.state !== null ? stateTone(effect.state) : 'event'
  return (
    <a href={href} class={effect.trouble === null ? 'change' : 'change troubled'}>
      <title>
        {effect.type} {effect.resourceId}
        {effect.trouble !== null && ` (${effect.trouble})`}
      </title>
      <path class="leader" d={`M${x + 7} ${y}H${label.x - 13}`} />
      <circle class={`tone-${tone}`} cx={x} cy={y} r={mark.tracked ? 5 : 3} />
      <path class="event" d={`M${label.x - 8} ${y - 4}l4 4-4 4-4-4z`} />
      <Text label={label} />
    </a>
  )
}

function DeliveryArrow({ mark, href }: { mark: AttemptMark; href: string }) {
  const { moment, from, to, out, back, delivered, label, status } = mark
  const round = (back - out) / 2
  return (
    <a href={href} class={delivered ? 'attempt delivered' : 'attempt failed'}>
      <title>
        {moment.type}, {moment.delivery !== null && `delivery ${moment.delivery}, `}attempt {moment.number}:{' '}
        {moment.status ?? 'no answer'}
      </title>
      <rect class="reach" x={from} y={label.y - 12} width={to - from} height={back - label.y + 18} />
      {moment.status === null ? (
        <>
          <path class="way" d={`M${from} ${out}H${to - 12}`} />
          <path class="lost" d={`M${to - 10} ${out - 4}l8 8m0-8l-8 8`} />
        </>
      ) : (
        <>
          <path
            class="way"
            d={`M${from} ${out}H${to - round - 2}a${round} ${round} 0 0 1 0 ${round * 2}H${from + 2}`}
          />
          <path class="head" d={`M${from + 7} ${back - 4}l-6 4l6 4z`} />
        </>
      )}
      <Text label={label} />
      <Text label={status} of="status" />
    </a>
  )
}

function Text({ label: { x, y, text, end }, of }: { label: TimelineLabel; of?: string }) {
  const names = [of, end && 'end'].filter(Boolean).join(' ')
  return (
    <text x={x} y={y} class={names || undefined}>
      {text}
    </text>
  )
}
