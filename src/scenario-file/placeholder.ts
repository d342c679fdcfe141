/**
 * What a scenario leaves open until it is played: `${name}` is a captured value, `${env:NAME}` an environment variable,
 * `${uuid}` a fresh UUID, `${uuid:x}` the same one each time x is named. `$${` is a plain `${`.
 */

export type Placeholder =
  | { kind: 'captured'; name: string }
  | { kind: 'env'; name: string }
  | { kind: 'uuid'; name: string | undefined }

const PATTERN = /\$\$\{|\$\{([^{}]*)\}/g
const NAME = /^[A-Za-z_][\w-]*$/

/** What may stand between `${` and `}`, or undefined for anything else. */
export function readPlaceholder(text: string): Placeholder | undefined {
  const [kind = '', name, ...more] = text.split(':')
  if (more.length > 0 || !NAME.test(name ?? kind)) return undefined
  if (kind === 'uuid') return { kind, name }
  if (kind === 'env' && name !== undefined) return { kind, name }
  return name === undefined ? { kind: 'captured', name: kind } : undefined
}

export interface FoundPlaceholder {
  path: PropertyKey[]
  /** As written, with its braces. */
  text: string
  /** Undefined for one that cannot be read. */
  placeholder: Placeholder | undefined
}

/** Every placeholder in the texts of a value, however deep. */
export function placeholdersIn(value: unknown, path: PropertyKey[] = []): FoundPlaceholder[] {
  if (typeof value === 'string') {
    return [...value.matchAll(PATTERN)]
      .filter(([, inside]) => inside !== undefined)
      .map(([text, inside = '']) => ({ path, text, placeholder: readPlaceholder(inside) }))
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, one]) =>
    placeholdersIn(one, [...path, Array.isArray(value) ? Number(name) : name]),
  )
}

export type Resolve = (placeholder: Placeholder) => unknown

/** The value with its placeholders filled. A text that is nothing but one becomes the value itself, be it a number. */
export function fill<Value>(value: Value, resolve: Resolve): Value {
  return fillAny(value, resolve) as Value
}

function fillAny(value: unknown, resolve: Resolve): unknown {
  if (typeof value === 'string') {
    const [whole, inside] = /^\$\{([^{}]*)\}$/.exec(value) ?? []
    return whole === undefined ? fillText(value, resolve) : resolved(inside ?? '', resolve)
  }
  if (Array.isArray(value)) return value.map((one) => fillAny(one, resolve))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, fillAny(one, resolve)]))
}

/** The text with its placeholders filled; `write` says how a value goes into the text. */
export function fillText(text: string, resolve: Resolve, write: (value: string) => string = String): string {
  return text.replace(PATTERN, (_, inside: string | undefined) => {
    if (inside === undefined) return '${'
    const value = resolved(inside, resolve)
    return write(typeof value === 'string' ? value : JSON.stringify(value))
  })
}

function resolved(inside: string, resolve: Resolve): unknown {
  const placeholder = readPlaceholder(inside)
  if (placeholder === undefined) throw new Error(`\${${inside}} is not a placeholder`)
  return resolve(placeholder)
}
