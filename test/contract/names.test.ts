/** A profile's names reach every object and every header of the contract. */
import { expect, test } from 'vitest'
import { openApiDocument } from '../../src/server/http/openapi.ts'
import { ANSWER_HEADERS, headersUnder } from '../../src/spec/contract/answer-headers.ts'
import { contractOf, DEFAULT_CONTRACT } from '../../src/spec/contract/contract.ts'
import { changesOf, PROFILE_KEYS, ProfileChanges } from '../../src/spec/contract/profile.ts'
import { NAMED_BY_THE_SPEC } from '../../src/spec/contract/profile-kinds.ts'
import { DIFFERENT } from './different-profile.ts'

/** The names of fields and parameters in an API document. */
function namesIn(part: unknown): string[] {
  if (typeof part !== 'object' || part === null) return []
  const { properties = {}, name, in: place } = part as { properties?: object; name?: string; in?: string }
  return [
    ...Object.keys(properties),
    ...(place === 'query' ? [name!] : []),
    ...Object.values(part).flatMap(namesIn),
  ]
}

/** No profile key renames `error`, `message` and the additional fields of a refusal. */
const KEPT: readonly string[] = [
  ...Object.values(NAMED_BY_THE_SPEC).flat(),
  ...['error', 'message', 'existingResourceId'],
]

test('under a profile that renames every field, the document uses only new names or names fixed by the specification', () => {
  const ours = new Set(namesIn(openApiDocument([])))
  const left = namesIn(openApiDocument([], contractOf(DIFFERENT))).filter(
    (name) => ours.has(name) && !KEPT.includes(name),
  )
  expect([...new Set(left)]).toEqual([])
})

test('every profile key that names a response header is listed among the headers', () => {
  const isHeader = (path: readonly string[]) => {
    const { error } = ProfileChanges.safeParse(changesOf([{ path, value: 'Trailer' }]))
    return error?.message.includes('must be a header that HTTP does not use itself')
  }
  const naming = PROFILE_KEYS.filter(({ path }) => path[0] !== 'webhooks' && isHeader(path))
  const rows = ANSWER_HEADERS.filter(({ key }) => key !== undefined && key !== 'answers.location')
  expect(naming.map(({ key }) => key)).toEqual(rows.map(({ key }) => key))
  for (const { name, named } of headersUnder(DEFAULT_CONTRACT.profile)) expect(named).toBe(name)
})
