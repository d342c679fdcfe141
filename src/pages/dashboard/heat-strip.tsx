/**
 * The last hour as sixty cells, each a link to the requests of its minute: its height shows how many there
 * were, its color the share that failed. They are one stop of the keyboard, from which the arrow keys go to the
 * others; without a script, the text below leads to all of them.
 */
import { counted } from '../../spec/contract/counted.ts'
import { formatInstant } from '../../spec/contract/time.ts'
import type { Overview } from '../../tester/control/shapes.ts'
import type { View } from './view.ts'

const MINUTE_MS = 60_000
const MINUTES = 60
const CELL = 10
const HEIGHT = 28

export function HeatStrip({ view, minutes }: { view: View; minutes: Overview['lastHour'] }) {
  const now = Date.parse(view.clock.now)
  const last = now - (now % MINUTE_MS)
  const most = Math.max(1, ...minutes.map(({ requests }) => requests))
  const sum = (name: 'requests' | 'refused' | 'failed') =>
    minutes.reduce((total, minute) => total + minute[name], 0)
  const wrong = (['refused', 'failed'] as const).flatMap((name) =>
    sum(name) > 0 ? `${sum(name)} ${name}` : [],
  )
  const text = [`${counted(sum('requests'), 'request')} in the last hour`, wrong.join(', ')]
    .filter((part) => part !== '')
    .join(': ')
  // Nothing to draw: the clock was moved, and all requests are older than an hour.
  if (minutes.length === 0) return null
  return (
    <figure class="heat">
      <svg viewBox={`0 0 ${MINUTES * CELL} ${HEIGHT}`} preserveAspectRatio="none">
        <title>Requests by minute</title>
        <path class="ground" d={`M0 ${HEIGHT - 0.5}H${MINUTES * CELL}`} />
        {minutes.map((minute, index) => {
          const from = Date.parse(minute.at)
          const place = MINUTES - 1 - (last - from) / MINUTE_MS
          const height = Math.max(4, Math.round((minute.requests / most) * HEIGHT))
          const until = formatInstant(from + MINUTE_MS)
          return (
            <a
              href={view.links.page('requests', { since: minute.at, until })}
              tabindex={index === minutes.length - 1 ? undefined : -1}
            >
              <title>{titleOf(minute)}</title>
              <rect class="room" x={place * CELL} y={0} width={CELL} height={HEIGHT} />
              <rect
                class={toneOf(minute)}
                x={place * CELL + 1}
                y={HEIGHT - height}
                width={CELL - 2}
                height={height}
              />
            </a>
          )
        })}
      </svg>
      <figcaption class="soft">
        <span>1 hour ago</span>
        <a href={view.links.page('requests', { since: '1h' })}>{text}</a>
        <span>now</span>
      </figcaption>
    </figure>
  )
}

type Minute = Overview['lastHour'][number]

function toneOf({ requests, refused, failed }: Minute): string {
  const wrong = refused + failed
  if (wrong === 0) return 'good'
  return wrong * 2 >= requests ? 'failed' : 'failing'
}

const titleOf = ({ at, requests, refused, failed }: Minute): string =>
  `${at.slice(11, 16)}: ${counted(requests, 'request')}, ${refused} refused, ${failed} failed`
