/** Rules about the content of a client's requests, and its timeouts. */
import { counted } from '../../spec/contract/counted.ts'
import { formatDuration } from '../../spec/contract/duration.ts'
import { hasAtMostTwoDecimals } from '../../spec/contract/money.ts'
import { type Picture, writesIn } from './picture.ts'
import { type Found, foundIn, idsOf } from './rule.ts'

const hasMoreDecimals = (value: unknown) => typeof value === 'number' && !hasAtMostTwoDecimals(value)

export function tooManyDecimals(picture: Picture): Found[] {
  const found = writesIn(picture).filter(({ json }) => hasMoreDecimals(json.amount))
  return foundIn(
    found,
    `An amount such as ${found[0]?.json.amount} was sent ${counted(found.length, 'time')}`,
  )
}

const API_KEY = /\bsk_(?:staging|live|test|prod|production)_\w+/
/** A shorter key may be an ordinary word of a request. */
const TELLING_CHARS = 12

export function apiKeyShown({ requests, apiKey }: Picture): Found[] {
  const shows = (text: string) =>
    (text.includes('sk_') && API_KEY.test(text)) || (apiKey.length >= TELLING_CHARS && text.includes(apiKey))
  return (['target', 'body'] as const).flatMap((place) => {
    const found = requests.filter(({ asked }) => shows(asked[place]))
    if (found.length === 0) return []
    return {
      what: `The API key stands in the ${place === 'target' ? 'URL' : 'body'} of ${counted(found.length, 'request')}`,
      requests: idsOf(found),
    }
  })
}

/** A payment that needs a bank's decision may take this long. */
export const PATIENCE_MS = 10_000

export function leftTooEarly(picture: Picture): Found[] {
  // Only the time at which the door noticed that the client had left is known; it left no later.
  const left = writesIn(picture).filter(({ clientLeft, took }) => clientLeft && took < PATIENCE_MS)
  return foundIn(
    left,
    `The client closed the connection of ${counted(left.length, 'request')} in less than ${formatDuration(PATIENCE_MS)}, before the answer was ready`,
  )
}
