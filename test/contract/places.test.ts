/** Every object and every header of the contract has its place, so that the names of a profile reach it. */
import { expect, test } from 'vitest'
import { z } from 'zod'
import { OPERATIONS } from '../../src/service/operations/table.ts'
import { ANSWER_HEADERS, headersUnder } from '../../src/spec/contract/answer-headers.ts'
import { contractOf, DEFAULT_CONTRACT } from '../../src/spec/contract/contract.ts'
import { Event } from '../../src/spec/contract/event.ts'
import { changesOf, PROFILE_KEYS, ProfileChanges } from '../../src/spec/contract/profile.ts'
import { NAMED_BY_THE_SPEC } from '../../src/spec/contract/profile-kinds.ts'
import { DIFFERENT } from './different-profile.ts'

/** All names of fields in a schema, those inside of it too. */
function namesIn(schema: z.ZodType): string[] {
  if (schema instanceof z.ZodPipe && !(schema instanceof z.ZodCodec))
    return namesIn(schema.def.in as z.ZodType)
  if (schema instanceof z.ZodCodec) return namesIn(schema.def.in as z.ZodType)
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional)
    return namesIn(schema.unwrap() as z.ZodType)
  if (schema instanceof z.ZodArray) return namesIn(schema.element as z.ZodType)
  if (schema instanceof z.ZodUnion) return (schema.options as z.ZodType[]).flatMap(namesIn)
  if (!(schema instanceof z.ZodObject)) return []
  return Object.entries(schema.shape).flatMap(([name, field]) => [name, ...namesIn(field as z.ZodType)])
}

const SPECIFIED: readonly string[] = Object.values(NAMED_BY_THE_SPEC).flat()

test('under a profile that names every field no schema has a name of the defaults that the specification does not give', () => {
  const { wording } = contractOf(DIFFERENT)
  const schemas = OPERATIONS.flatMap(({ body, query, answer }) => [body, query, answer]).concat(Event)
  const left = schemas.flatMap((schema) => {
    if (!schema) return []
    const own = new Set(namesIn(schema))
    return namesIn(wording.of(schema).schema).filter((name) => own.has(name) && !SPECIFIED.includes(name))
  })
  // A field of the profile is called as another one of the defaults: `created`, `money` and the like are none of these.
  expect([...new Set(left)]).toEqual([])
})

test('a key that names a header of an answer has its row among the headers', () => {
  const isHeader = (path: readonly string[]) => {
    const { error } = ProfileChanges.safeParse(changesOf([{ path, value: 'Trailer' }]))
    return error?.message.includes('must be a header that HTTP does not use itself')
  }
  const naming = PROFILE_KEYS.filter(({ path }) => path[0] !== 'webhooks' && isHeader(path))
  const rows = ANSWER_HEADERS.filter(({ key }) => key !== undefined && key !== 'answers.location')
  expect(naming.map(({ key }) => key)).toEqual(rows.map(({ key }) => key))
  for (const { name, named } of headersUnder(DEFAULT_CONTRACT.profile)) expect(named).toBe(name)
})
