/** The keys of a JSON Schema as rows of a table: each with its path, type and meaning. */

export interface JsonSchema {
  $ref?: string
  anyOf?: JsonSchema[]
  type?: string
  enum?: string[]
  const?: unknown
  pattern?: string
  description?: string
  default?: unknown
  minimum?: number
  maximum?: number
  items?: JsonSchema
  properties?: Record<string, JsonSchema>
  required?: string[]
}

type Definitions = Record<string, JsonSchema>

export interface Key {
  /** A path such as `respond.status`. */
  path: string
  takes: string
  means: string
  isRequired: boolean
}

/** The name of a definition as used in a sentence. */
const CALLED: Record<string, string> = {
  Amount: 'an amount such as `10.5`',
  Duration: 'a duration such as `2s`',
  StepDuration: 'a duration such as `2s`',
  Time: 'a time such as `2026-01-01T00:00:00Z`',
  Expect: 'the keys of `expect`',
  ExpectOfMany: 'the keys of `expect`',
  Until: 'the keys of `until`',
  Eventually: 'the keys of `eventually`',
  Receiver: 'a list of statuses, or of the keys of `receiver`',
  Profile: 'the keys of a [profile](profile.md)',
  Matcher: 'a [matcher](scenario-reference.md#matchers)',
  Call: 'method and path',
  Stub: 'method and path',
  OperationPattern: 'an operation',
  EventPattern: 'an event',
  Headers: 'names with texts or [matchers](scenario-reference.md#matchers)',
  When: 'the keys below',
  Do: 'a [fault](#faults)',
}

/** Leave out `${name}`, because any value may be captured by an earlier step. */
const isCaptured = ({ pattern = '' }: JsonSchema) => /^\^?\\\$\\\{/.test(pattern)

/** In an `anyOf`, a reference with a description is the only form. */
const nameOf = ({ $ref, anyOf: [only, second] = [] }: JsonSchema): string | undefined =>
  ($ref ?? (second ? undefined : only?.$ref))?.split('/').at(-1)

/** Every key below a schema, outer keys first. The keys of an object with its own definition are not included. */
export function keysOf(schema: JsonSchema, definitions: Definitions, above = ''): Key[] {
  const rows = formsOf(schema).flatMap(({ properties = {}, required = [] }) =>
    Object.entries(properties).flatMap(([name, property]): Key[] => {
      const path = `${above}${name}`
      const definition = definitions[nameOf(property) ?? '']
      const means = property.description ?? definition?.description ?? ''
      const below = definition ? [] : keysOf(property, definitions, `${path}.`)
      return [{ path, takes: takes(property), means, isRequired: required.includes(name) }, ...below]
    }),
  )
  return rows.filter(({ path }, at) => rows.findIndex((row) => row.path === path) === at)
}

const formsOf = (schema: JsonSchema): JsonSchema[] =>
  [...(schema.anyOf ?? []).flatMap(formsOf), ...(schema.items ? formsOf(schema.items) : []), schema].filter(
    (form) => form.properties || form === schema,
  )

function takes(schema: JsonSchema): string {
  const name = nameOf(schema)
  if (name !== undefined && name in CALLED) return CALLED[name]!
  if (schema.anyOf) {
    const forms = schema.anyOf.filter((form) => !isCaptured(form)).map(takes)
    return [...new Set(forms)].filter(Boolean).join(' or ')
  }
  if (schema.enum) return schema.enum.map((word) => `\`${word}\``).join(', ')
  if (schema.const !== undefined) return `\`${schema.const}\``
  const { minimum, maximum } = schema
  if (minimum !== undefined && maximum !== undefined)
    return `${minimum.toLocaleString('en')} to ${maximum.toLocaleString('en')}`
  if (schema.items) return 'a list'
  if (schema.properties) return 'the keys below it'
  return WORDS[schema.type ?? 'any']!
}

const WORDS: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: '`true` or `false`',
  object: 'names with values',
  any: 'any JSON',
}
