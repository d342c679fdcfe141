import { Icon } from '../icons.tsx'
import type { View } from './view.ts'

/**
 * The bar of a page that updates itself: whether it does, the button that stops it, and the one that shows
 * what is new.
 */
export function LiveBar({ view: { links, state } }: { view: View }) {
  return (
    <div class="live" data-live={links.page('live')} data-shown={state} data-state="still">
      <p class="soft small" data-status role="status" />
      <p class="hidden-text" data-news role="status" />
      <button class="knob by-script" type="button" aria-pressed="false" data-pause>
        <Icon name="pause" size={16} />
        Pause
      </button>
      <button class="knob main" type="button" data-show hidden>
        Show
      </button>
    </div>
  )
}
