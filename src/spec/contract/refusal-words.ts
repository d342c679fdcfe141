/** Writes refusals (D8) in the words of a profile, and reads them back into the words of the defaults. */
import { type ApiError, type RefusalText, statusName } from './api-error.ts'
import { inverted } from './inverted.ts'
import { WORD_LISTS } from './places.ts'
import { completed, type Profile } from './profile.ts'
import { escapeRegExp } from './reg-exp.ts'
import { filledText, TEXTS, type TextName } from './texts.ts'
import type { JsonObject } from './wire.ts'
import { renamedIn, type Wording } from './worded.ts'

type Words = Readonly<Record<string, string>>

export class RefusalWords {
  readonly #profile: Profile
  readonly #wording: Wording
  /** Made when the first message is read. */
  #texts: readonly ReadableText[] | undefined

  constructor(profile: Profile, wording: Wording) {
    this.#profile = profile
    this.#wording = wording
  }

  /** The `error` of a status. */
  nameOf(status: number): string {
    const names: Readonly<Record<string, string>> = this.#profile.errors.names
    return names[status] ?? statusName(status)
  }

  bodyOf({ status, message, details, text }: ApiError): JsonObject {
    return { error: this.nameOf(status), message: text ? this.#message(text) : message, ...details }
  }

  /** A refusal's body in the words of the defaults; `names` gives the default name of each renamed field. */
  read(value: JsonObject, status: number, names: Words): JsonObject {
    const { error, message } = value
    return {
      ...value,
      ...(error === this.nameOf(status) && { error: statusName(status) }),
      ...(typeof message === 'string' && { message: this.#ownMessage(message, names) }),
    }
  }

  #message({ name, values }: RefusalText): string {
    const states = this.#statesOf(values)
    const { state = '', needed = '' } = values
    return filledText(this.#profile.errors.texts[name as TextName], {
      ...values,
      state: states[state] ?? state,
      needed: states[needed] ?? needed,
    })
  }

  #ownMessage(message: string, names: Words): string {
    this.#texts ??= readableTexts(this.#profile)
    const found = readIn(this.#texts, message)
    return found ? filledText(TEXTS[found.name], this.#ownValues(found.values, names)) : message
  }

  #ownValues(values: Words, names: Words): Words {
    const states = inverted(this.#statesOf(values))
    const parameters = { ...names, ...inverted(this.#wording.pageParameters()) }
    const { state = '', needed = '', name = '', field = '', rule = '' } = values
    return {
      ...values,
      state: states[state] ?? state,
      needed: states[needed] ?? needed,
      name: renamedIn(name, parameters),
      field: renamedIn(field, names),
      rule: renamedIn(this.#ownRule(rule), names),
    }
  }

  /** The profile's states of the resource that the message names. */
  #statesOf({ resource = '' }: Words): Words {
    return this.#profile.states[resource.toLowerCase() as keyof Profile['states']] ?? {}
  }

  /** Turns `must be one of …` with a profile's states or events into that of the defaults. */
  #ownRule(rule: string): string {
    for (const list of WORD_LISTS) {
      const { write = String } = this.#wording.of(list)
      if (rule.endsWith(` ${list.options.map((own) => write(own)).join(', ')}`))
        return `must be one of ${list.options.join(', ')}`
    }
    return rule
  }
}

// Messages

interface ReadMessage {
  name: TextName
  /** The text in place of each word in braces. */
  values: Words
}

/** The default message of which this text is an instance, with its values. */
export const readMessage = (message: string): ReadMessage | undefined =>
  readIn(readableTexts(completed({})), message)

function readIn(texts: readonly ReadableText[], message: string): ReadMessage | undefined {
  for (const { pattern, name } of texts) {
    const found = pattern.exec(message)
    if (found) return { name, values: { ...found.groups } }
  }
  return undefined
}

interface ReadableText {
  readonly name: TextName
  readonly pattern: RegExp
}

/**
 * A message's texts as regular expressions, those with the most letters outside of braces first: `{resource}
 * is {state}` would match nearly everything.
 */
function readableTexts({ errors }: Profile): ReadableText[] {
  const texts = Object.entries(errors.texts) as [TextName, string][]
  const ownLength = (text: string) => text.replaceAll(/\{\w+\}/g, '').length
  return texts
    .sort(([, one], [, other]) => ownLength(other) - ownLength(one))
    .map(([name, text]) => ({ name, pattern: patternOf(text) }))
}

function patternOf(text: string): RegExp {
  const seen = new Set<string>()
  const source = text.split(/\{(\w+)\}/).map((part, index) => {
    if (index % 2 === 0) return escapeRegExp(part)
    if (seen.has(part)) return `\\k<${part}>`
    seen.add(part)
    return `(?<${part}>.+?)`
  })
  return new RegExp(`^${source.join('')}$`, 's')
}
