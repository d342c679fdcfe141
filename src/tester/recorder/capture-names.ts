/** The names under which a recorded scenario captures ids: `checkout`, `refund2`. */
import { mapTexts } from '../../sandbox/scenario-file/placeholder.ts'
import { isObject } from '../../spec/contract/parsed-json.ts'
import { IDS, nameOfId } from './resource-ids.ts'

/** Matching starts at the first dollar: starting at each one, a text of 100,000 dollars would take seconds. */
const DOLLARS_AND_BRACE = /(?<!\$)\$+(?=\{)/g
const DOLLARS_AND_ID = new RegExp(`(?:(?<!\\$)(\\$+))?(${IDS.pattern})`, 'g')

export class CaptureNames {
  readonly #names = new Map<string, string>()
  /** How many names start with each word. */
  readonly #counts = new Map<string, number>()

  has(id: string): boolean {
    return this.#names.has(id)
  }

  /** Names the wanted ids of a response; returns the step's `capture`, or undefined if there is nothing new. */
  captureFrom(answer: unknown, wanted: ReadonlySet<string>): Record<string, string> | undefined {
    const capture: Record<string, string> = {}
    for (const { id, path } of idsWithPaths(answer)) {
      if (!wanted.has(id) || this.#names.has(id)) continue
      capture[this.named(id, nameOfId(id))] = path
    }
    return Object.keys(capture).length > 0 ? capture : undefined
  }

  /** The name of a value. A new name is the word, with a number if the word is taken. */
  named(value: string, word: string): string {
    const known = this.#names.get(value)
    if (known !== undefined) return known
    const count = (this.#counts.get(word) ?? 0) + 1
    this.#counts.set(word, count)
    const name = count === 1 ? word : `${word}${count}`
    this.#names.set(value, name)
    return name
  }

  /** The value with `${name}` for every captured id. */
  fill(value: unknown): unknown {
    return mapTexts(value, (text) => this.fillText(text))
  }

  /** A dollar before a `{`, or before an id that becomes a placeholder, is doubled to escape it. */
  fillText(text: string): string {
    return text
      .replaceAll(DOLLARS_AND_BRACE, (dollars) => dollars + dollars)
      .replaceAll(DOLLARS_AND_ID, (written, dollars: string = '', id: string) =>
        this.#names.has(id) ? `${dollars}${dollars}\${${this.#names.get(id)}}` : written,
      )
  }
}

function idsWithPaths(value: unknown, path = '$'): { id: string; path: string }[] {
  if (typeof value === 'string') return IDS.isId(value) ? [{ id: value, path }] : []
  if (Array.isArray(value)) return value.flatMap((inner, index) => idsWithPaths(inner, `${path}[${index}]`))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, inner]) => idsWithPaths(inner, `${path}.${name}`))
}
