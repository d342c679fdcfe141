/**
 * Which of the keys that were learned would mend a difference: the key whose default the sandbox showed at this place, and whose
 * value the service.
 */

import type { ShadowDifference, ShadowedExchange } from '../../pages/dashboard/real-service.ts'
import { isObject } from '../../spec/contract/parsed-json.ts'
import { readMessage } from '../../spec/contract/translation.ts'
import { jsonIn } from '../learn/evidence.ts'
import type { LearnedKey } from '../learn/learn.ts'

interface Place {
  /** What the keys begin with. */
  keys: RegExp
  /** The paths at which they show. */
  path: RegExp
  mends(key: LearnedKey, difference: ShadowDifference, exchange: ShadowedExchange): boolean
}

const isWord = ({ value, fallback }: LearnedKey, { theirs, ours }: ShadowDifference) =>
  theirs === JSON.stringify(value) && ours === JSON.stringify(fallback)

const member = (path: string) => path.replace(/^.*\./, '')

const PLACES: readonly Place[] = [
  { keys: /^states\./, path: /\.status$/, mends: isWord },
  { keys: /^events\./, path: /\.type$/, mends: isWord },
  { keys: /^errors\.names\./, path: /^\$\.error$/, mends: isWord },
  {
    keys: /^errors\.texts\./,
    path: /^\$\.message$/,
    mends: ({ path: [, , name] }, _, { ours }) => readMessage(messageIn(ours.body))?.name === name,
  },
  {
    keys: /^timestamps\./,
    path: /^\$/,
    mends: (_, { theirs, ours }) => theirs !== ours && withoutFraction(theirs) === withoutFraction(ours),
  },
  {
    keys: /^answers\.fields\./,
    path: /^\$.*\./,
    mends: ({ value }, { kind, path, ours }) =>
      kind === 'field' && ours === 'missing' && Object.hasOwn(value as object, member(path)),
  },
  {
    keys: /^answers\.created$/,
    path: /^status$/,
    mends: ({ value, fallback }, { theirs, ours }) => theirs === `${value}` && ours === `${fallback}`,
  },
  { keys: /^answers\.location$/, path: /^the header location$/, mends: isThereOrNot },
  { keys: /^idempotency\.replayHeader$/, path: /^the header idempotent-replayed$/, mends: isThereOrNot },
  {
    keys: /^lists\.(items|hasMore|nextCursor)$/,
    path: /^\$\./,
    mends: ({ value, fallback }, { kind, path, ours }) =>
      kind === 'field' && member(path) === (ours === 'missing' ? value : fallback),
  },
  { keys: /^lists\.(limit|cursor|size|maxSize)$/, path: /^status$|^\$\./, mends: isSeenHere },
  { keys: /^requests\./, path: /^status$/, mends: isSeenHere },
  { keys: /^paths\./, path: /^path$|^the header location$/, mends: isSeenHere },
]

export const mendingKey = (
  difference: ShadowDifference,
  exchange: ShadowedExchange,
  learned: readonly LearnedKey[],
): LearnedKey | undefined =>
  learned.find((key) =>
    PLACES.some(
      ({ keys, path, mends }) =>
        keys.test(key.key) && path.test(difference.path) && mends(key, difference, exchange),
    ),
  )

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
