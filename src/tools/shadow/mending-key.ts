/**
 * Which of the keys that were learned would mend a difference: the key whose default the sandbox showed at this place, and whose
 * value the service.
 */

import type { ShadowDifference, ShadowedExchange } from '../../pages/dashboard/real-service.ts'
import { isObject } from '../../spec/contract/parsed-json.ts'
import type { Difference } from '../../spec/contract/profile-key.ts'
import { readMessage } from '../../spec/contract/translation.ts'
import { jsonIn } from '../learn/evidence.ts'
import type { LearnedKey } from '../learn/learn.ts'

interface Place {
  /** The paths at which its keys show. */
  path: RegExp
  mends(key: LearnedKey, difference: ShadowDifference, exchange: ShadowedExchange): boolean
}

const isWord = ({ value, fallback }: LearnedKey, { theirs, ours }: ShadowDifference) =>
  theirs === JSON.stringify(value) && ours === JSON.stringify(fallback)

const member = (path: string) => path.replace(/^.*\./, '')

/** By the name that the rows of the keys give. */
const PLACES: Readonly<Record<Difference, Place>> = {
  state: { path: /\.status$/, mends: isWord },
  event: { path: /\.type$/, mends: isWord },
  error: { path: /^\$\.error$/, mends: isWord },
  message: {
    path: /^\$\.message$/,
    mends: ({ path: [, , name] }, _, { ours }) => readMessage(messageIn(ours.body))?.name === name,
  },
  time: {
    path: /^\$/,
    mends: (_, { theirs, ours }) => theirs !== ours && withoutFraction(theirs) === withoutFraction(ours),
  },
  field: {
    path: /^\$.*\./,
    mends: ({ value }, { kind, path, ours }) =>
      kind === 'field' && ours === 'missing' && Object.hasOwn(value as object, member(path)),
  },
  created: {
    path: /^status$/,
    mends: ({ value, fallback }, { theirs, ours }) => theirs === `${value}` && ours === `${fallback}`,
  },
  location: { path: /^the header location$/, mends: isThereOrNot },
  replay: { path: /^the header idempotent-replayed$/, mends: isThereOrNot },
  'name in a list': {
    path: /^\$\./,
    mends: ({ value, fallback }, { kind, path, ours }) =>
      kind === 'field' && member(path) === (ours === 'missing' ? value : fallback),
  },
  list: { path: /^status$|^\$\./, mends: isSeenHere },
  request: { path: /^status$/, mends: isSeenHere },
  path: { path: /^path$|^the header location$/, mends: isSeenHere },
}

export const mendingKey = (
  difference: ShadowDifference,
  exchange: ShadowedExchange,
  learned: readonly LearnedKey[],
): LearnedKey | undefined =>
  learned.find((key) => {
    if (key.difference === 'none') return false
    const { path, mends } = PLACES[key.difference]
    return path.test(difference.path) && mends(key, difference, exchange)
  })

function isThereOrNot(_: LearnedKey, { theirs, ours }: ShadowDifference): boolean {
  return (theirs === 'missing') !== (ours === 'missing')
}

/** No value is in the answers: that the key was learned from this exchange says it. */
function isSeenHere(
  { seenIn }: LearnedKey,
  { kind }: ShadowDifference,
  { number }: ShadowedExchange,
): boolean {
  return ['status', 'items', 'value', 'path', 'header'].includes(kind) && seenIn.includes(`request ${number}`)
}

function messageIn(body: string): string {
  const json = jsonIn(body)
  return isObject(json) ? String(json.message) : ''
}

const withoutFraction = (shape: string) => shape.replace(/\.0+Z$/, 'Z')
