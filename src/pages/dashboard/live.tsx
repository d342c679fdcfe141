/** The parts of a page that update themselves (live-stream.ts). */
import type { Child } from 'hono/jsx'
import { Icon } from '../icons.tsx'
import type { View } from './view.ts'

/**
 * The bar of a page that updates itself: whether it does, the button that stops it, and the one that shows
 * what is new.
 */
export function LiveBar({ view: { links, state } }: { view: View }) {
  return (
    <div class="live" data-live={links.page('live', { shown: state })} data-state="still">
      <p class="soft small" data-status role="status" />
      <p class="hidden-text" data-news role="status" />
      <button class="knob" type="button" aria-pressed="false" data-pause hidden>
        <Icon name="pause" size={16} />
        Pause
      </button>
      <button class="knob main" type="button" data-show hidden>
        Show
      </button>
    </div>
  )
}

type LiveListProps = { name: string; count?: number; isOne?: boolean; children?: Child }

/**
 * A part of a page that is replaced unless it is being read. Rows are the children of the element with
 * `data-rows`, identified by `data-id`. A list without rows, or one thing that has rows in it (`isOne`), is
 * replaced as a whole. `count`: how many rows there are in all.
 */
export function LiveList({ name, count, isOne, children }: LiveListProps) {
  return (
    <div class="live-list" data-list={name} data-count={count} data-one={isOne && ''}>
      {children}
    </div>
  )
}
