/**
 * The stream between a page's server and its script. `changed`: something happened that the page may show; the event's id is
 * the state that the page is to have. `removed`: the sandbox is gone.
 */
export type LiveEvent = 'changed' | 'removed'

/**
 * The header of requests by the page's script: such a page shows no notice, which is kept for the next page
 * that a person opens.
 */
export const BY_SCRIPT = 'x-paysim-live'
