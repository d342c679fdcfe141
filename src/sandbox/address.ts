import { type Environment, placeOf } from '../spec/environments/environment.ts'

/** Where a sandbox is served: the beginning of the URLs that it hands out. */
export class SandboxAddress {
  readonly #publicUrl: string | undefined
  readonly #listening: () => string | undefined
  /** The path of its buyers' pages. */
  readonly #pages: string
  /** Of the latest request. */
  #origin: string | undefined

  constructor(
    sandbox: { name: string; environment: Environment },
    publicUrl: string | undefined,
    listening: (() => string | undefined) | undefined,
  ) {
    // The address of an environment serves the pages of its own sandboxes alone, so the plain name is enough.
    const { name } = placeOf(sandbox.name, sandbox.environment)
    this.#pages = `${name === 'default' ? '' : `/sandboxes/${name}`}/checkout/`
    this.#publicUrl = publicUrl
    this.#listening = listening ?? (() => undefined)
  }

  askedAt(origin: string): void {
    this.#origin = origin
  }

  /** As it was told, as the latest request wrote it, or where the simulator listens. */
  url(): string | undefined {
    return this.#publicUrl ?? this.#origin ?? this.#listening()
  }

  checkoutUrl(id: string): string {
    return `${this.url() ?? ''}${this.#pages}${id}`
  }
}
