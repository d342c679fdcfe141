/**
 * The stream between a page's server and its script. `changed`: the page may have something new to show; the event's id is the
 * state that the page should have. `removed`: the sandbox was removed.
 */
export type LiveEvent = 'changed' | 'removed'

/**
 * The header of requests by the page's script: their pages show no notice, so that it remains for the next page that a person
 * opens.
 */
export const BY_SCRIPT = 'x-paysim-live'
