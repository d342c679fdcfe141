/**
 * Placeholders are replaced when a scenario is played: `${name}` by a captured value, `${env:NAME}` by an environment
 * variable, `${uuid}` by a new UUID, `${uuid:x}` by the same UUID for each use of x. `$${` is a literal `${`.
 */

export type Placeholder =
  | { kind: 'captured'; name: string }
  | { kind: 'env'; name: string }
  | { kind: 'uuid'; name: string | undefined }

const PATTERN = /\$\$\{|\$\{([^{}]*)\}/g
const NAME = /^[A-Za-z_][\w-]*$/

/** Parses what is between `${` and `}`; undefined when it is not a placeholder. */
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
  /** Undefined when it is not valid. */
  placeholder: Placeholder | undefined
}

/** Every placeholder in a value, at any depth. */
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

/** Replaces the placeholders in a value. A text that is only a placeholder becomes the value itself, which may be a number. */
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

/** Replaces the placeholders in a text; `write` encodes each value, for example for a URL. */
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
