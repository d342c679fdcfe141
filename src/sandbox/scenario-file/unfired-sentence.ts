/** A behavior that never acted. `stoppedAt`: the failed step, after which no step was played. */
export interface Unfired {
  id: string
  why: string
  stoppedAt?: string | undefined
}

/** The sentence of every report about a behavior that never acted. */
export function sentenceOfUnfired({ id, why, stoppedAt }: Unfired): string {
  if (stoppedAt !== undefined)
    return `The behavior ${id} was not reached: the file stopped at step ${stoppedAt}. Until then, ${why}.`
  return `The behavior ${id} never acted; ${why}.${why.includes('\n') ? '\n' : ' '}Set optional: true if that is fine.`
}
