/** `Complete` for `complete` */
export const capitalized = (word: string): string => `${word[0]!.toUpperCase()}${word.slice(1)}`

/** `1,250`. Not Intl, whose first formatter costs a start 30 ms. */
export const withCommas = (number: number | string): string =>
  String(number).replace(/\B(?=(\d{3})+(?!\d))/g, ',')

/** `1 day`, `2 days`, `1,250 requests` */
export const counted = (count: number, thing: string, things = `${thing}s`): string =>
  `${withCommas(count)} ${count === 1 ? thing : things}`
