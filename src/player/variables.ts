/** What a run remembers: captured values, UUIDs by name, and the requests and answers of steps that have an id. */
import { createHash, randomUUID } from 'node:crypto'
import { isObject } from '../scenario-file/matcher.ts'
import type { Placeholder } from '../scenario-file/placeholder.ts'
import type { Secrets } from './secrets.ts'
import type { PlayedRequest, ReceivedAnswer } from './wire.ts'

/** The step cannot be taken, and that is nobody's fault: an earlier one that it builds on was skipped. */
export class NotPossible extends Error {}

export type Environment = Readonly<Record<string, string | undefined>>

export interface VariableOptions {
  env: Environment
  secrets: Secrets
  /** UUIDs are drawn from it, so that the same file sends the same bytes twice. Without it they are random. */
  seed: number | undefined
}

export class Variables {
  readonly requests = new Map<string, PlayedRequest>()
  readonly answers = new Map<string, ReceivedAnswer>()
  readonly #env: Environment
  readonly #secrets: Secrets
  readonly #seed: number | undefined
  readonly #captured = new Map<string, unknown>()
  readonly #uuids = new Map<string, string>()
  #fresh = 0

  constructor({ env, secrets, seed }: VariableOptions) {
    this.#env = env
    this.#secrets = secrets
    this.#seed = seed
  }

  /** Everything that is another value in another run. */
  get variable(): string[] {
    return [...this.#captured.values(), ...this.#uuids.values()].filter((one) => typeof one === 'string')
  }

  capture(name: string, value: unknown): void {
    this.#captured.set(name, value)
  }

  resolve = (placeholder: Placeholder): unknown => {
    switch (placeholder.kind) {
      case 'captured':
        return this.#capturedAs(placeholder.name)
      case 'env':
        return this.#fromEnvironment(placeholder.name)
      case 'uuid': {
        if (placeholder.name !== undefined) return this.#uuid(placeholder.name)
        this.#fresh += 1
        return this.#uuid(`:${this.#fresh}`)
      }
    }
  }

  #capturedAs(name: string): unknown {
    if (!this.#captured.has(name))
      throw new NotPossible(`it needs \${${name}}, which a skipped step captures`)
    return this.#captured.get(name)
  }

  #fromEnvironment(name: string): string {
    const value = this.#env[name]
    if (value === undefined) throw new Error(`The environment variable ${name} is not set.`)
    this.#secrets.addFromEnvironment(value)
    return value
  }

  #uuid(name: string): string {
    const known = this.#uuids.get(name)
    if (known !== undefined) return known
    const uuid = this.#seed === undefined ? randomUUID() : seededUuid(`${this.#seed}/${name}`)
    this.#uuids.set(name, uuid)
    return uuid
  }
}

/** A hash in the form of a V4 UUID. */
function seededUuid(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex')
  const variant = '89ab'[Number.parseInt(hex[16]!, 16) % 4]
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** What stands at a path such as `$.data[0].id`; undefined where nothing does. */
export function valueAt(json: unknown, path: string): unknown {
  let here = json
  for (const [, name, index, quoted] of path.matchAll(/\.([\w-]+)|\[(\d+)\]|\["([^"]*)"\]/g)) {
    const key = name ?? quoted
    if (key !== undefined) here = isObject(here) && Object.hasOwn(here, key) ? here[key] : undefined
    else here = Array.isArray(here) ? here[Number(index)] : undefined
  }
  return here
}
