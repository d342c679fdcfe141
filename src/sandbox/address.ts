import { type Environment, qualifiedName } from '../spec/environments/environment.ts'

/** The address at which a sandbox is served: every URL that it hands out begins with it. */
export class SandboxAddress {
  readonly #publicUrl: string | undefined
  readonly #listening: () => string | undefined
  /** The path of its buyers' pages. */
  readonly #pages: string
  /** The origin of the latest request. */
  #origin: string | undefined

  constructor(
    sandbox: { name: string; environment: Environment },
    publicUrl: string | undefined,
    listening: (() => string | undefined) | undefined,
  ) {
    // The pages of an environment are served at its own address, so the name without the environment is
    // enough.
    const { name } = qualifiedName(sandbox.name, sandbox.environment)
    this.#pages = `${name === 'default' ? '' : `/sandboxes/${name}`}/checkout/`
    this.#publicUrl = publicUrl
    this.#listening = listening ?? (() => undefined)
  }

  askedAt(origin: string): void {
    this.#origin = origin
  }

  /**
   * The configured public URL, else the origin of the latest request, else the address where the simulator
   * listens.
   */
  url(): string | undefined {
    return this.#publicUrl ?? this.#origin ?? this.#listening()
  }

  checkoutUrl(id: string): string {
    return `${this.url() ?? ''}${this.#pages}${id}`
  }
}
