/** The sentence of every report about a behavior that never acted. */
export const sentenceOfUnfired = ({ id, why }: { id: string; why: string }): string =>
  `The behavior ${id} never acted; ${why}.${why.includes('\n') ? '\n' : ' '}With optional: true it need not.`
