/** A behavior that was armed and never acted, in the words of every report. */
export const sentenceOfUnfired = ({ id, why }: { id: string; why: string }): string =>
  `The behavior ${id} never acted; ${why}.${why.includes('\n') ? '\n' : ' '}With optional: true it need not.`
