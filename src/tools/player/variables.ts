/** The variables of one run: captured values, UUIDs by name, and the requests and responses of steps with an id. */
import { createHash, randomInt, randomUUID } from 'node:crypto'
import type { Capture } from '../../sandbox/scenario-file/expectation.ts'
import { evaluate } from '../../sandbox/scenario-file/expression.ts'
import type { MatchDifference } from '../../sandbox/scenario-file/matcher.ts'
import {
  type Placeholder,
  placeholderText,
  takesFromRequest,
} from '../../sandbox/scenario-file/placeholder.ts'
import { findIn } from '../../sandbox/scenario-file/regex.ts'
import { keysOfPath } from '../../spec/contract/json-text.ts'
import { valueAt } from '../../spec/contract/parsed-json.ts'
import { quoted } from '../../spec/contract/shortened.ts'
import type { Secrets } from '../../spec/secrets.ts'
import type { PlayedExchange, Sent } from './wire.ts'

/** The step or the file is skipped: it needs the tester's API, or an earlier step that was skipped. */
export class NotPossible extends Error {}

export interface VariableOptions {
  env: Readonly<Record<string, string | undefined>>
  secrets: Secrets
  /** UUIDs are derived from the seed, so that every run sends the same bytes. Without a seed they are random. */
  seed: number | undefined
}

export class Variables {
  readonly requests = new Map<string, Sent>()
  readonly answers = new Map<string, PlayedExchange>()
  readonly #options: VariableOptions
  readonly #captured = new Map<string, unknown>()
  readonly #uuids = new Map<string, string>()
  #unnamedUuids = 0

  constructor(options: VariableOptions) {
    this.#options = options
  }

  /** The captured values and named UUIDs, which vary between runs. */
  get texts(): ReadonlyMap<string, string> {
    const named = [
      ...this.#captured,
      ...[...this.#uuids].map(([name, uuid]) => [`uuid:${name}`, uuid] as const),
    ]
    return new Map(named.filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
  }

  /** Captures values by name; returns a difference for each path that matches nothing. */
  captureFrom({ json, headers = {} }: Captured, capture: Capture = {}): MatchDifference[] {
    return Object.entries(capture).flatMap(([written, how]) => {
      const { from: path, regex } = typeof how === 'string' ? { from: how, regex: undefined } : how
      const found = path.startsWith('header.')
        ? headers[path.slice('header.'.length).toLowerCase()]
        : valueAtJsonPath(json, path)
      const value =
        regex === undefined || found === undefined
          ? found
          : findIn(regex, typeof found === 'object' ? JSON.stringify(found) : String(found))
      const name = written.replace(/\[\]$/, '')
      if (value === undefined) {
        const received = found === undefined ? 'nothing' : quoted(found)
        return [{ path, expected: `a value to capture as ${name}`, received }]
      }
      const list = this.#captured.get(name)
      this.#captured.set(
        name,
        name === written ? value : [...(Array.isArray(list) ? list : []), ...[value].flat()],
      )
      return []
    })
  }

  rename(capture: Capture = {}): MatchDifference[] {
    return this.captureFrom({ json: Object.fromEntries(this.#captured) }, capture)
  }

  resolve = (placeholder: Placeholder): unknown => {
    switch (placeholder.kind) {
      case 'value':
        // Left unchanged: the simulator fills it in when it responds. A captured value named `request` takes precedence.
        if (takesFromRequest(placeholder) && !this.#captured.has('request'))
          return placeholderText(placeholder)
        return evaluate(placeholder.expression, (name) => this.capturedValue(name))
      case 'env':
        return this.#fromEnvironment(placeholder.name)
      case 'uuid': {
        if (placeholder.name !== undefined) return this.#uuid(placeholder.name)
        this.#unnamedUuids += 1
        return this.#uuid(`:${this.#unnamedUuids}`)
      }
    }
  }

  capturedValue(name: string): unknown {
    if (!this.#captured.has(name))
      throw new NotPossible(`it needs \${${name}}, which is captured by a skipped step`)
    return this.#captured.get(name)
  }

  #fromEnvironment(name: string): string {
    const { env, secrets } = this.#options
    const value = env[name]
    if (value === undefined) throw new Error(`The environment variable ${name} is not set.`)
    secrets.add(value)
    return value
  }

  #uuid(name: string): string {
    const known = this.#uuids.get(name)
    if (known !== undefined) return known
    const { seed } = this.#options
    const uuid = seed === undefined ? randomUUID() : seededUuid(`${seed}/${name}`)
    this.#uuids.set(name, uuid)
    return uuid
  }
}

/** A random seed for files without one. A failure prints it so that the run can be repeated, so it is short enough to type. */
export const drawSeed = (): number => randomInt(1_000_000)

/** A hash formatted as a version 4 UUID. */
function seededUuid(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex')
  const variant = '89ab'[Number.parseInt(hex[16]!, 16) % 4]
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** The source of captures: the JSON and headers of a response. */
export interface Captured {
  json: unknown
  /** By lower-case name. */
  headers?: Readonly<Record<string, string>> | undefined
}

/** The value at a path such as `$.data[0].id`; undefined if there is none. `[*]` returns a list with one value per item. */
function valueAtJsonPath(json: unknown, path: string): unknown {
  const [, before = path, after] = /^(.*?)\[\*\](.*)$/.exec(path) ?? []
  const value = valueAt(json, keysOfPath(before))
  if (after === undefined) return value
  if (!Array.isArray(value)) return undefined
  return value.map((item) => valueAtJsonPath(item, after)).filter((item) => item !== undefined)
}
