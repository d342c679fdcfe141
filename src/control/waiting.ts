/** A test that waits in vain should hear why before its runner gives up on it, mostly after five seconds. */
export const PATIENCE = '4s'
