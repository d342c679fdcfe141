/** Values that are hidden in all output: API keys, signing secrets and values of environment variables. */
import { xmlText } from '../../spec/junit.ts'

/** A shorter value is unlikely to be a secret, and hiding it would hide parts of ordinary words. */
const MIN_CHARS = 6

/** As long as `whsec_`: the secrets of a thousand sandboxes begin with the same few words. */
const BEGINNING_CHARS = MIN_CHARS

export class Secrets {
  /**
   * What is hidden, by how it begins. A line without any of the beginnings, as nearly all are, is done after looking for
   * these, however many sandboxes there were.
   */
  readonly #values = new Map<string, Set<string>>()

  /** As it is, and as it is written in JSON, in XML and in HTML. */
  add(value: string | undefined): void {
    if (value === undefined || value.length < MIN_CHARS) return
    const inJson = JSON.stringify(value).slice(1, -1)
    for (const written of [value, inJson, xmlText(value), xmlText(inJson)]) {
      const beginning = written.slice(0, BEGINNING_CHARS)
      this.#values.set(beginning, (this.#values.get(beginning) ?? new Set()).add(written))
    }
  }

  /** The text without them. */
  hide(text: string): string {
    let hidden = text
    for (const [beginning, values] of this.#values) {
      if (!hidden.includes(beginning)) continue
      // A shorter one may be the beginning of a longer one.
      for (const value of [...values].sort((one, other) => other.length - one.length))
        hidden = hidden.replaceAll(value, '••••')
    }
    return hidden
  }
}
