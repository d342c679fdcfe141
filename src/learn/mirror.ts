/**
 * Plays in a sandbox of ours what a service was asked. Ids are paired by their role: when both answers have an id at the
 * same place for the first time, the one stands for the other from then on.
 */
import { type AskedRequest, type GivenAnswer, isFields, jsonIn, type ServiceExchange } from './evidence.ts'

export interface MirrorSandbox {
  apiKey: string
  /** What the addresses that it makes begin with. */
  origin: string
  /** The kind of an id of the sandbox's; undefined for another text. */
  kindOf(id: string): unknown
  ask(request: AskedRequest): Promise<GivenAnswer>
}

export interface Mirrored {
  /** Undefined where it is about a resource that the sandbox has not seen being made. */
  ours: GivenAnswer | undefined
  /** Their answer, with our ids in place of theirs. */
  paired: GivenAnswer
}

export class Mirror {
  readonly #sandbox: MirrorSandbox
  readonly #oursByTheirs = new Map<string, string>()

  get origin(): string {
    return this.#sandbox.origin
  }

  constructor(sandbox: MirrorSandbox) {
    this.#sandbox = sandbox
  }

  /** One after the other, in the order of the answers. */
  async play({ asked, theirs }: ServiceExchange): Promise<Mirrored> {
    const { method, target, headers, body } = asked
    const ours = await this.#sandbox.ask({
      method,
      target: this.#paired(target),
      headers: {
        ...only(headers, ['content-type', 'idempotency-key']),
        // The sandbox has a key of its own; which keys are wrong there, only the service knows.
        'x-api-key': theirs.status === 401 ? 'wrong' : this.#sandbox.apiKey,
      },
      body: body === undefined ? undefined : this.#paired(body),
    })
    this.#pair(jsonIn(theirs.body), jsonIn(ours.body))
    const paired = {
      status: theirs.status,
      headers: Object.fromEntries(
        Object.entries(theirs.headers).map(([name, value]) => [name, this.#paired(value)]),
      ),
      body: this.#paired(theirs.body),
    }
    const isUnknown = ours.status === 404 && theirs.status < 400
    return { ours: isUnknown ? undefined : ours, paired }
  }

  #paired(text: string): string {
    let paired = text
    for (const [theirs, own] of this.#oursByTheirs) paired = paired.replaceAll(theirs, own)
    return paired
  }

  /** The items of a list are not paired: the service may have others as well. */
  #pair(theirs: unknown, ours: unknown): void {
    if (!isFields(theirs) || !isFields(ours)) return
    for (const [name, own] of Object.entries(ours)) {
      const other = theirs[name]
      if (typeof own !== 'string' || typeof other !== 'string') this.#pair(other, own)
      else if (
        /^id$|Id$/.test(name) &&
        this.#sandbox.kindOf(own) !== undefined &&
        !this.#oursByTheirs.has(other)
      )
        this.#oursByTheirs.set(other, own)
    }
  }
}

const only = (headers: Readonly<Record<string, string>>, names: readonly string[]) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => names.includes(name)))
