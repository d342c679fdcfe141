/** Values that are hidden in all output: API keys, signing secrets and values of environment variables. */
import { xmlText } from '../junit.ts'

/** A shorter value is unlikely to be a secret, and hiding it would hide parts of ordinary words. */
const ENV_MIN_CHARS = 6

export class Secrets {
  readonly #values = new Set<string>()

  add(value: string | undefined): void {
    if (value) this.#values.add(value)
  }

  addFromEnvironment(value: string): void {
    if (value.length >= ENV_MIN_CHARS) this.add(value)
  }

  /** The text without them, as they are or escaped as in JSON, in XML and in HTML. */
  hide(text: string): string {
    let hidden = text
    for (const value of this.#values) {
      const inJson = JSON.stringify(value).slice(1, -1)
      for (const written of [value, inJson, xmlText(value), xmlText(inJson)])
        hidden = hidden.replaceAll(written, '••••')
    }
    return hidden
  }
}
