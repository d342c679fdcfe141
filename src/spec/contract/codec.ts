/**
 * Translates a profile's names and values at the edge; the code and its schemas use only the default ones. Requests are
 * translated before they are checked, responses and events when they are written. Tools that talk to a service with the profile
 * use the other directions.
 */
import { type ApiError, type RefusalText, statusName } from './api-error.ts'
import { type EventType, resourceName } from './event.ts'
import { member } from './json-text.ts'
import type { FieldWords, ObjectWords } from './json-writer.ts'
import { keptOrMade } from './kept-or-made.ts'
import { isObject, valueAt } from './parsed-json.ts'
import { completed, type Profile } from './profile.ts'
import {
  FIELDS,
  nameKeys,
  type ObjectKind,
  PAGE_PARAMETERS,
  PARTS,
  parametersOf,
  queryOf,
  SHOWN_IN,
  type ShownKey,
} from './profile-kinds.ts'
import { readIn } from './refusal-text.ts'
import { nameIn, Renaming, renamedIn, withKeys } from './renaming.ts'
import { OPTIONAL_TEXTS } from './resources/checkout.ts'
import type { AnsweredKind } from './resources/operations.ts'
import { filledText, TEXTS, type TextName, type TextValues } from './texts.ts'
import { withoutFraction } from './time.ts'
import { Currency, type JsonObject } from './wire.ts'

/** Called with a default word found in a response, if the profile renames it. */
type ForeignWordFound = (path: string, expected: string, received: string) => void

/** How a profile writes an object and what it contains. */
export interface ShownWords extends ObjectWords {
  readonly fields: ReadonlyMap<string, ShownField>
  /** The default names, by the profile's. */
  readonly ours: ReadonlyMap<string, string>
}

export interface ShownField extends FieldWords, ValueWords {
  /** The kind of the objects in it, if it has any. */
  readonly kind?: ObjectKind | undefined
}

interface ValueWords extends Pick<FieldWords, 'reworded'> {
  readonly read?: (value: unknown) => unknown
  /** Set for a value that is one of a few words. */
  readonly words?: Renaming
  /** Null may stand for a text. */
  readonly isNullable?: true
}

export class Codec {
  readonly #profile: Profile
  readonly #bodies = new Map<ObjectKind, Renaming>()
  readonly #queries = new Map<ObjectKind, Renaming>()
  readonly #shown = new Map<ObjectKind, ShownWords>()
  readonly #pages = new Map<AnsweredKind, ShownWords>()
  readonly #vocabularies = new Map<ShownKey, Renaming>()

  constructor(profile: Profile) {
    this.#profile = profile
  }

  // Requests

  /** The names of a kind's fields in bodies. */
  names(kind: ObjectKind): Renaming {
    return keptOrMade(this.#bodies, kind, () => this.#named(nameKeys(kind)))
  }

  readBody(kind: ObjectKind, theirs: JsonObject): JsonObject {
    return withKeys(theirs, this.names(kind).read)
  }

  writeBody(kind: ObjectKind, ours: JsonObject): JsonObject {
    return withKeys(ours, this.names(kind).write)
  }

  /** The names in the query of a list. */
  parameters(kind: ObjectKind): Renaming {
    return keptOrMade(this.#queries, kind, () => {
      const keys: Readonly<Record<string, string>> = { ...nameKeys(kind), ...PAGE_PARAMETERS }
      const named = parametersOf(kind).filter((name) => name in keys)
      return this.#named(Object.fromEntries(named.map((name) => [name, keys[name]!])))
    })
  }

  readParameter(kind: ObjectKind, [name, value]: readonly [string, string]): [string, string] {
    const ours = this.parameters(kind).read(name)
    return [ours, this.wordsOfParameter(kind, ours).read(value)]
  }

  writeParameter(kind: ObjectKind, [name, value]: readonly [string, string]): [string, string] {
    return [this.parameters(kind).write(name), this.wordsOfParameter(kind, name).write(value)]
  }

  /** The words that a parameter accepts; empty if it accepts any text. */
  wordsOfParameter(kind: ObjectKind, name: string): Renaming {
    const section = Object.hasOwn(queryOf(kind).shape, name) ? SHOWN_IN[kind][name] : undefined
    return section ? this.#vocabulary(section) : NO_WORDS
  }

  // Responses and events

  /** How an object of a kind is written. */
  shown(kind: ObjectKind): ShownWords {
    return keptOrMade(this.#shown, kind, () => {
      const { answers, add } = this.#profile
      const constants: Readonly<Record<string, JsonObject>> = answers.fields
      const leftOut: Readonly<Record<string, readonly string[]>> = answers.leaveOut
      const names = this.names(kind).theirs
      const shown = FIELDS[kind].filter((name) => !leftOut[kind]?.includes(name))
      const fields = shown.map((name): [string, ShownField] => {
        const part = kind === 'payment_method' ? PARTS[name] : undefined
        const inside = part && { kind: part, inside: this.shown(part) }
        return [name, { name: names[name] ?? name, ...this.#valuesOf(kind, name), ...inside }]
      })
      const additions = (add as Readonly<Record<string, object>>)[kind] ?? {}
      const added = Object.keys(additions).map((name): [string, ShownField] => [name, { name }])
      return wordsOf([...fields, ...added], constants[kind])
    })
  }

  /** How a page of a kind is written. Events are stored as sent, so their pages already use the profile's names. */
  page(kind: AnsweredKind): ShownWords {
    return keptOrMade(this.#pages, kind, () => {
      const { items, hasMore, nextCursor } = this.#profile.lists
      const inside = kind === 'event' ? undefined : this.shown(kind)
      return wordsOf([
        ['data', { name: items, kind, inside }],
        ['hasMore', { name: hasMore }],
        ['nextCursor', { name: nextCursor }],
      ])
    })
  }

  /**
   * Reads an object of this kind in a response or an event. An unknown name or word is returned unchanged, because it may come
   * from a real service; `foreign` is called if it is a default one.
   */
  read(kind: ObjectKind, theirs: unknown, foreign?: ForeignWordFound, path = '$'): unknown {
    if (!isObject(theirs)) return theirs
    const words = this.shown(kind)
    if (kind !== 'event') return this.#read(words, theirs, foreign, path)
    const sent = theirs[words.fields.get('type')!.name] ?? theirs.type
    const type = Object.entries(this.#profile.events).find(([, word]) => word === sent)?.[0]
    if (type) return this.#read(words, theirs, foreign, path, resourceName(type as EventType))
    reportForeign(this.#vocabulary('events'), sent, `${path}.type`, foreign)
    return theirs
  }

  readPage(kind: AnsweredKind, theirs: unknown, foreign?: ForeignWordFound): unknown {
    return isObject(theirs) ? this.#read(this.page(kind), theirs, foreign, '$') : theirs
  }

  #read(
    { fields, constants, ours }: ShownWords,
    theirs: JsonObject,
    foreign: ForeignWordFound | undefined,
    path: string,
    dataKind?: ObjectKind,
  ): JsonObject {
    const read = Object.entries(theirs).flatMap(([theirName, value]): [string, unknown][] => {
      if (Object.hasOwn(constants, theirName)) return []
      const name = ours.get(theirName) ?? theirName
      const field = fields.get(name)
      if (!field) return [[name, value]]
      const at = path + member(name)
      if (!ours.has(theirName)) foreign?.(at, field.name, theirName)
      const kind = field.kind ?? (name === 'data' ? dataKind : undefined)
      if (kind) {
        const inner = Array.isArray(value)
          ? value.map((item, index) => this.read(kind, item, foreign, `${at}[${index}]`))
          : this.read(kind, value, foreign, at)
        return [[name, inner]]
      }
      if (field.words) reportForeign(field.words, value, at, foreign)
      return [[name, field.read ? field.read(value) : value]]
    })
    return Object.fromEntries(read)
  }

  // Refusals

  /** The `error` of a status. */
  errorName(status: number): string {
    const names: Readonly<Record<string, string>> = this.#profile.errors.names
    return names[status] ?? statusName(status)
  }

  /** `kind`: the kind that the request is about, whose fields the refusal may name. */
  refusal({ status, message, details, text }: ApiError, kind?: ObjectKind): JsonObject {
    const written = text ? this.#text(text, kind) : message
    return { error: this.errorName(status), message: written, ...details }
  }

  #text({ name, values, fields = [] }: RefusalText, kind: ObjectKind | undefined): string {
    const { state = '', needed = '', rule = '', field = '', name: parameter = '' } = values
    const states = this.#statesOf(values)
    const isOfQuery = name === 'invalidParameter'
    const names = kind && (isOfQuery ? this.parameters(kind) : this.names(kind))
    const named = (text: string) =>
      names ? text.replaceAll(/[^ ]+/g, (word) => (fields.includes(word) ? names.write(word) : word)) : text
    const words = kind && isOfQuery ? this.wordsOfParameter(kind, parameter) : NO_WORDS
    return filledText(this.#profile.errors.texts[name as TextName], {
      ...values,
      state: states.write(state),
      needed: states.write(needed),
      field: named(field),
      name: named(parameter),
      rule: named(rule).replace(words.list.ours, words.list.theirs),
    })
  }

  /** A refusal's body in the default words; `kind` as for {@link refusal}. */
  readRefusal(theirs: JsonObject, status: number, kind?: ObjectKind): JsonObject {
    const { error, message } = theirs
    return {
      ...theirs,
      ...(error === this.errorName(status) && { error: statusName(status) }),
      ...(typeof message === 'string' && { message: this.#ourMessage(message, kind) }),
    }
  }

  #ourMessage(message: string, kind: ObjectKind | undefined): string {
    const found = readIn(this.#profile.errors.texts, message)
    if (!found) return message
    const { state = '', needed = '', name = '', field = '', rule = '' } = found.values
    const states = this.#statesOf(found.values).ours
    const names = kind ? this.names(kind).ours : {}
    const parameters = kind ? this.parameters(kind) : NO_WORDS
    const words = kind ? this.wordsOfParameter(kind, parameters.read(name)) : NO_WORDS
    return filledText(TEXTS[found.name], {
      ...found.values,
      state: nameIn(states, state),
      needed: nameIn(states, needed),
      name: nameIn(parameters.ours, name),
      field: renamedIn(field, names),
      rule: renamedIn(rule.replace(words.list.theirs, words.list.ours), names),
    })
  }

  #statesOf({ resource = '' }: TextValues): Renaming {
    const section = `states.${resource.toLowerCase()}`
    return valueAt(this.#profile, section.split('.')) ? this.#vocabulary(section as ShownKey) : NO_WORDS
  }

  #named(keys: Readonly<Record<string, string>>): Renaming {
    return new Renaming(
      Object.fromEntries(
        Object.entries(keys).map(([name, key]) => [name, String(valueAt(this.#profile, key.split('.')))]),
      ),
    )
  }

  #vocabulary(section: ShownKey): Renaming {
    return keptOrMade(this.#vocabularies, section, () => {
      if (section === 'answers.currency')
        return new Renaming({ [Currency.value]: this.#profile.answers.currency })
      return new Renaming(valueAt(this.#profile, section.split('.')) as Readonly<Record<string, string>>)
    })
  }

  #valuesOf(kind: ObjectKind, name: string): ValueWords {
    const section = SHOWN_IN[kind][name]
    if (section === 'timestamps.milliseconds')
      return this.#profile.timestamps.milliseconds ? {} : WHOLE_SECONDS
    if (section) return ofWords(this.#vocabulary(section))
    const isOptional = kind === 'checkout' && OPTIONAL_TEXTS.includes(name)
    const { checkout } = this.#profile.requests
    return isOptional && !checkout.some((required) => required === name) ? EMPTY_AS_NULL : {}
  }
}

const NO_WORDS = new Renaming({})

const ofWords = (words: Renaming): ValueWords => {
  if (words.isEmpty) return {}
  const texts = new Map(
    Object.entries(words.theirs).map((pair) => pair.map((word) => JSON.stringify(word)) as [string, string]),
  )
  return {
    words,
    reworded: (json) => texts.get(json) ?? json,
    read: (value) => (typeof value === 'string' ? nameIn(words.ours, value) : value),
  }
}

/** D12 without milliseconds: the fraction of a second is cut off. */
const WHOLE_SECONDS: ValueWords = {
  reworded: (json) => (json === 'null' ? json : `"${withoutFraction(json.slice(1, -1))}"`),
  read: (value) => (typeof value === 'string' ? value.replace(/(T\d\d:\d\d:\d\d)Z$/, '$1.000Z') : value),
}

/** D22: a text that was not sent is stored as an empty one. */
const EMPTY_AS_NULL: ValueWords = {
  isNullable: true,
  reworded: (json) => (json === '""' ? 'null' : json),
}

const wordsOf = (fields: readonly [string, ShownField][], constants: JsonObject = {}): ShownWords => ({
  fields: new Map(fields),
  ours: new Map(fields.map(([ours, { name }]) => [name, ours])),
  constants,
})

function reportForeign(
  { theirs, ours }: Renaming,
  value: unknown,
  path: string,
  foreign: ForeignWordFound | undefined,
): void {
  if (typeof value !== 'string' || !Object.hasOwn(theirs, value) || Object.hasOwn(ours, value)) return
  foreign?.(path, theirs[value]!, value)
}

/** The values of a profile that change JSON. */
function wordsIn({ timestamps, requests, answers, fields, lists, states, events, errors }: Profile): string {
  const { size: _, maxSize: __, ...names } = lists
  const shown = [answers.fields, answers.leaveOut, answers.currency]
  return JSON.stringify([timestamps, requests.checkout, shown, fields, names, states, events, errors])
}

/** Undefined if the profile renames nothing. */
export const codecOf = (profile: Profile): Codec | undefined =>
  wordsIn(profile) === wordsIn(completed({})) ? undefined : new Codec(profile)
