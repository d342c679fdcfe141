/** What is never shown: keys, signing secrets and what the environment gave. */

/** A shorter value of the environment is hardly a secret, and hiding it would blot out half a page. */
const ENV_MIN_CHARS = 6

export class Secrets {
  readonly #values = new Set<string>()

  add(value: string | undefined): void {
    if (value) this.#values.add(value)
  }

  addFromEnvironment(value: string): void {
    if (value.length >= ENV_MIN_CHARS) this.add(value)
  }

  /** The text without them, whether they stand in it as they are or as JSON writes them. */
  hide(text: string): string {
    let hidden = text
    for (const value of this.#values) {
      hidden = hidden.replaceAll(value, '••••').replaceAll(JSON.stringify(value).slice(1, -1), '••••')
    }
    return hidden
  }
}
