/** `Complete` for `complete` */
export const capitalized = (word: string): string => `${word[0]!.toUpperCase()}${word.slice(1)}`

/** `1 day`, `2 days`, `1,250 requests` */
export const counted = (count: number, thing: string, things = `${thing}s`): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? thing : things}`
