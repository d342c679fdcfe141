/** Writes a schema into an OpenAPI 3.1 document. The document describes `z.input`, the JSON, for responses too. */
import { z } from 'zod'
import { keptOrMade } from './kept-or-made.ts'
import type { JsonObject } from './wire.ts'

/** The named schemas, each written once; the document refers to them by name. */
export class Components {
  readonly schemas: JsonObject = {}
  /** Cached references: most of a document refers to the same few schemas, such as the error's. */
  readonly #references = new Map<z.ZodType, JsonObject>()

  reference(schema: z.ZodType): JsonObject {
    return keptOrMade(this.#references, schema, () => {
      const { $schema, $defs, ...written } = z.toJSONSchema(schema, {
        io: 'input',
        unrepresentable: 'any',
        override: plainer,
      })
      for (const [name, named] of Object.entries($defs ?? {})) this.schemas[name] = moved(named)
      return moved(written)
    })
  }
}

/**
 * Changes a JSON Schema for client generators:
 * - A pattern next to `date-time` or `integer` is removed, because the format implies it.
 * - `const` is also written as an `enum` of one word, because some generators distinguish events only by that.
 * - `\/` in a pattern becomes `/`: generators that write /pattern/ escape slashes themselves.
 * - A record that requires each of its keys becomes an object with these properties.
 */
function plainer({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  const { propertyNames, required, additionalProperties } = jsonSchema
  if (propertyNames && required && additionalProperties) {
    jsonSchema.properties = Object.fromEntries(required.map((name) => [name, additionalProperties]))
    jsonSchema.additionalProperties = false
    delete jsonSchema.propertyNames
  }
  if (typeof jsonSchema.const === 'string') jsonSchema.enum = [jsonSchema.const]
  if (jsonSchema.format === 'date-time' || jsonSchema.type === 'integer') delete jsonSchema.pattern
  else if (jsonSchema.pattern) jsonSchema.pattern = jsonSchema.pattern.replaceAll('\\/', '/')
}

/** Points references from JSON Schema's `$defs` to OpenAPI's `components/schemas`. */
const moved = (schema: unknown): JsonObject =>
  standingAlone(
    JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/')),
  ) as JsonObject

/** Moves a `$ref` with other keywords into `allOf`, because many readers ignore keywords next to a `$ref`. */
function standingAlone(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(standingAlone)
  if (typeof part !== 'object' || part === null) return part
  const { $ref, ...rest } = part as JsonObject
  const others = Object.fromEntries(Object.entries(rest).map(([name, inner]) => [name, standingAlone(inner)]))
  if (typeof $ref !== 'string') return $ref === undefined ? others : { $ref: standingAlone($ref), ...others }
  // The schema behind `$ref` has this `pattern`; it is not repeated.
  const { pattern: _, ...said } = others
  return Object.keys(said).length === 0 ? { $ref } : { ...said, allOf: [{ $ref }] }
}

export const pathParameters = (path: string): JsonObject[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))

export function queryParameters(query: z.ZodType | undefined, components: Components): JsonObject[] {
  if (!(query instanceof z.ZodObject)) return []
  return Object.entries(query.shape).map(([name, field]) => {
    const { description, ...schema } = components.reference(field as z.ZodType)
    // `io: 'input'` omits defaults, so the parameter's default is in its metadata.
    const usual = (field as z.ZodType).meta()?.default
    if (usual !== undefined) schema.default = usual
    // As in `?metadata[key]=value`.
    const deep = schema.type === 'object' && { style: 'deepObject', explode: true }
    return { name, in: 'query', ...(description !== undefined && { description }), ...deep, schema }
  })
}

export const jsonContent = (schema: JsonObject, example?: unknown): JsonObject => ({
  'application/json': { schema, ...(example !== undefined && { example }) },
})
