/** The rules between several values of a profile, such as that no two names are the same. Each value's schema checks it alone. */
import { headersUnder } from './answer-headers.ts'
import { type OperationId, usualPathOf } from './endpoints.ts'
import { ID_PREFIXES } from './ids.ts'
import type { Conflict } from './profile-key.ts'
import { FIELDS, NAMED_BY_THE_SPEC, type ObjectKind, PAGE_PARAMETERS, parametersOf } from './profile-kinds.ts'
import type { Profile } from './profile-table.ts'
import { TEXTS, wordsOf } from './texts.ts'

interface Contradiction {
  readonly path: readonly string[]
  readonly message: string
}

export const contradictions = (profile: Profile): Contradiction[] =>
  Object.values(CONFLICTS).flatMap((find) => find(profile))

/** The checks, by the `conflict` that a key's row in `profile-table.ts` names. */
export const CONFLICTS: Readonly<Record<Conflict, (profile: Profile) => Contradiction[]>> = {
  prefixes: ({ ids }) =>
    alike(['ids', 'prefixes'], { ...ID_PREFIXES, ...ids.prefixes }, (a, b) => a.startsWith(b)),
  states: ({ states }) =>
    Object.entries(states).flatMap(([resource, words]) => alike(['states', resource], words)),
  events: ({ events }) => alike(['events'], events),
  'fields of a page': ({ lists: { items, hasMore, nextCursor } }) =>
    alike(['lists'], { items, hasMore, nextCursor }),
  'parameters of a page': (profile) => {
    const { limit, cursor } = profile.lists
    return [...alike(['lists'], { limit, cursor }), ...likeFilters({ limit, cursor }, profile)]
  },
  'sizes of a page': ({ lists: { size, maxSize } }) =>
    size > maxSize ? [{ path: ['lists', 'size'], message: `must be at most lists.maxSize, ${maxSize}` }] : [],
  paths: ({ paths }) => [
    ...Object.entries(paths).flatMap(([id, path]) => otherNames(id as OperationId, path)),
    ...alike(['paths'], paths, (a, b) => withoutNames(a) === withoutNames(b)),
  ],
  'words of a text': ({ errors }) =>
    Object.entries(errors.texts).flatMap(([name, text]) =>
      otherWords(name, text, TEXTS[name as keyof typeof TEXTS]),
    ),
  fields: (profile) =>
    Object.entries(profile.answers.fields).flatMap(([kind, fields]) =>
      takenFields(['answers', 'fields', kind], fields, [
        ...Object.values(fieldNames(kind as keyof typeof FIELDS, profile)),
        ...Object.keys((profile.add as Readonly<Record<string, object>>)[kind] ?? {}),
      ]),
    ),
  'added fields': (profile) =>
    Object.entries(profile.add).flatMap(([kind, fields]) =>
      takenFields(['add', kind], fields, [
        ...Object.values(fieldNames(kind as keyof typeof FIELDS, profile)),
        ...FIELDS[kind as keyof typeof FIELDS],
        profile.lists.limit,
        profile.lists.cursor,
      ]),
    ),
  'names of fields': (profile) =>
    Object.keys(FIELDS).flatMap((kind) =>
      alike(['fields', kind], fieldNames(kind as keyof typeof FIELDS, profile)),
    ),
  'headers of an answer': sameHeaders,
  'headers of a signature': ({ webhooks }) => withoutHeaders(webhooks.signature),
}

/** A contradiction for each word that equals (or, by `isLike`, resembles) the word of an earlier entry. */
function alike(
  path: readonly string[],
  words: Readonly<Record<string, string>>,
  isLike = (a: string, b: string) => a === b,
): Contradiction[] {
  const entries = Object.entries(words)
  return entries.flatMap(([name, word], index) => {
    const earlier = entries.slice(0, index).find(([, taken]) => isLike(word, taken) || isLike(taken, word))
    return earlier ? [{ path: [...path, name], message: `must differ from that of ${earlier[0]}` }] : []
  })
}

/**
 * The profile's name of each field of a kind, by the default name. Names in the specification come first, so if another field
 * takes one of them, that field is reported.
 */
function fieldNames(kind: keyof typeof FIELDS, { fields }: Profile): Record<string, string> {
  const fixed: readonly string[] = NAMED_BY_THE_SPEC[kind as keyof typeof NAMED_BY_THE_SPEC] ?? []
  return { ...Object.fromEntries(fixed.map((name) => [name, name])), ...fields[kind] }
}

const FILTERS = (Object.keys(FIELDS) as ObjectKind[])
  .flatMap(parametersOf)
  .filter((name) => !(name in PAGE_PARAMETERS))

/** A list's filter has the name of its field, so no page parameter may have that name. */
function likeFilters(parameters: Readonly<Record<string, string>>, profile: Profile): Contradiction[] {
  const filters = Object.keys(FIELDS).flatMap((kind) => {
    const names = fieldNames(kind as keyof typeof FIELDS, profile)
    return FILTERS.flatMap((filter) => names[filter] ?? [])
  })
  return Object.entries(parameters)
    .filter(([, name]) => filters.includes(name))
    .map(([key]) => ({ path: ['lists', key], message: 'must not be the name of a filter' }))
}

/** D55: a profile may change a path, but not the names in braces, by which the operation finds its resource. */
function otherNames(id: OperationId, path: string): Contradiction[] {
  const names = wordsOf(usualPathOf(id))
  if (names.join() === wordsOf(path).join()) return []
  const rule =
    names.length === 0 ? 'must not contain placeholders in braces' : `must have ${inBraces(names, ' and ')}`
  return [{ path: ['paths', id], message: rule }]
}

const withoutNames = (path: string) => path.replaceAll(/\{\w+\}/g, '{}')

function otherWords(name: string, text: string, usual: string): Contradiction[] {
  const known = wordsOf(usual)
  if (wordsOf(text).every((word) => known.includes(word))) return []
  const rule =
    known.length === 0 ? 'must have no words in braces' : `must have only ${inBraces(known, ', ')} in braces`
  return [{ path: ['errors', 'texts', name], message: rule }]
}

const inBraces = (words: readonly string[], between: string) => words.map((word) => `{${word}}`).join(between)

function takenFields(path: readonly string[], fields: object, usual: readonly string[]): Contradiction[] {
  const taken = Object.keys(fields).find((name) => usual.includes(name))
  if (taken === undefined) return []
  return [{ path, message: `must not have ${taken}, which it has already` }]
}

/** RFC 9110, 5.1: header names are case-insensitive. */
function sameHeaders(profile: Profile): Contradiction[] {
  const rows = headersUnder(profile)
  return rows.flatMap(({ key, name, named }) => {
    const clash = rows.find((row) => row.name !== name && row.named.toLowerCase() === named.toLowerCase())
    if (key === undefined || named === name || clash === undefined) return []
    return [{ path: key.split('.'), message: `must differ from the header ${clash.name} of an answer` }]
  })
}

/** Standard Webhooks sign the id and the time, so a receiver needs both. */
function withoutHeaders({
  scheme,
  idHeader,
  timestampHeader,
}: Profile['webhooks']['signature']): Contradiction[] {
  if (scheme !== 'standard' || (idHeader !== null && timestampHeader !== null)) return []
  const message = 'must be timestamped or hex where idHeader or timestampHeader is null'
  return [{ path: ['webhooks', 'signature', 'scheme'], message }]
}
