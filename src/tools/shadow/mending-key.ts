import { withoutFraction } from '../../spec/contract/time.ts'
/**
 * Finds which learned key would mend a difference: one that shows at its place, with the default in our
 * answer and the learned value in the service's.
 */

import type { ShadowDifference, ShownKey } from '../../pages/dashboard/real-service.ts'
import { ANSWER_HEADERS, headerPath } from '../../spec/contract/answer-headers.ts'
import { DEFAULT_CONTRACT } from '../../spec/contract/contract.ts'
import { ENDPOINTS } from '../../spec/contract/endpoints.ts'
import { ErrorBody } from '../../spec/contract/errors.ts'
import { jsonIn } from '../../spec/contract/parsed-json.ts'
import type { Difference } from '../../spec/contract/profile-key.ts'
import type { ProfileName } from '../../spec/contract/profile-table.ts'
import { readMessage } from '../../spec/contract/refusal-words.ts'
import { operationOf } from '../../spec/contract/translation.ts'
import { wordedAt } from '../../spec/contract/worded.ts'
import { refusalMessage } from '../learn/evidence.ts'
import type { LearnedKey } from '../learn/learn.ts'
import type { AnswerHere } from '../player/difference-groups.ts'

type Mends = (key: LearnedKey, difference: ShadowDifference, answer: AnswerHere) => boolean

const member = (path: string) => path.replace(/^.*\./, '')

/** By the name that the rows of the keys give. */
const MENDS: Readonly<Record<Difference, Mends>> = {
  word: ({ value, fallback }, { theirs, ours }) =>
    theirs === JSON.stringify(value) && ours === JSON.stringify(fallback),
  prefix: ({ value, fallback }, { theirs, ours }) =>
    theirs.endsWith(` begins with ${value}`) && ours.endsWith(` begins with ${fallback}`),
  message: ({ path: [, , name] }, _, { body }) =>
    readMessage(refusalMessage(jsonIn(body)) ?? '')?.name === name,
  time: (_, { theirs, ours }) => theirs !== ours && withoutFraction(theirs) === withoutFraction(ours),
  field: ({ value }, { kind, path, ours }) =>
    kind === 'field' && ours === 'missing' && Object.hasOwn(value as object, member(path)),
  name: ({ value, fallback }, { kind, path, ours }) =>
    kind === 'field' && member(path) === (ours === 'missing' ? value : fallback),
  'left out': ({ value }, { kind, path, theirs }) =>
    kind === 'field' && theirs === 'missing' && (value as string[]).includes(member(path)),
  created: ({ value, fallback }, { theirs, ours }) => theirs === `${value}` && ours === `${fallback}`,
  'there or not': (_, { theirs, ours }) => (theirs === 'missing') !== (ours === 'missing'),
  // A refund that takes longer completes after what was made meanwhile.
  'order of times': (_, { path, theirs }) => /\.(completed|updated)At\b/.test(`${path} ${theirs}`),
  // No value is in the answers: that the key was learned from this exchange says it.
  'seen here': (key, { kind }, { seenIn }) =>
    ['status', 'items', 'value', 'path', 'header'].includes(kind) && key.seenIn.includes(seenIn),
}

/** The keys that show at each place beside the JSON. */
const BESIDE_JSON: Readonly<Record<string, readonly ProfileName[]>> = {
  status: ['answers.created', 'lists', 'requests'],
  path: ['paths'],
  ...Object.fromEntries(
    ANSWER_HEADERS.map(({ name, key, valueKey }) => [headerPath(name), [key ?? [], valueKey ?? []].flat()]),
  ),
}

/** The keys that show in a difference of a kind, at any place. */
const OF_KINDS: Readonly<Record<string, readonly ProfileName[]>> = {
  id: ['ids.prefixes'],
  time: ['refunds.delay'],
}

export function mendingKey(
  difference: ShadowDifference,
  answer: AnswerHere,
  learned: readonly LearnedKey[],
): ShownKey | undefined {
  const { kind, path } = difference
  const shown = OF_KINDS[kind] ?? BESIDE_JSON[path] ?? keysAt(path, answer)
  const found = learned.find(
    (row) =>
      row.difference !== 'none' &&
      shown.some((key) => row.key === key || row.key.startsWith(`${key}.`)) &&
      MENDS[row.difference](row, difference, answer),
  )
  return found && { key: found.key, value: found.value }
}

/** The keys, or their sections, that show at a path of our answer, or would name a field of the service's there. */
function keysAt(path: string, { method, target, status }: AnswerHere): readonly string[] {
  const { wording } = DEFAULT_CONTRACT
  const operation = operationOf({ method, target })
  if (status < 400 && operation === undefined) return []
  const answer = status >= 400 ? wording.of(ErrorBody) : wording.answer(operation!)
  const { at, within } = wordedAt(answer, path)
  return [
    ...at.flatMap(({ key }) => key ?? []),
    ...within.flatMap(({ constants, leftOut, fields }) => [
      constants ?? [],
      leftOut ?? [],
      [...(fields?.values() ?? [])].map(({ nameKey }) => nameKey ?? []),
    ]),
    operation && ENDPOINTS[operation].does === 'list' ? 'lists' : [],
  ].flat(2)
}
