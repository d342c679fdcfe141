/**
 * The stream between a page's server and its script. `changed`: something happened that the page may show; the event's id is
 * the state that the page is to have. `removed`: the sandbox is gone.
 */
export type LiveEvent = 'changed' | 'removed'

/** A page that its script asks for carries this header: it shows no notice, which the next page of a person is to show. */
export const BY_SCRIPT = 'x-paysim-live'
