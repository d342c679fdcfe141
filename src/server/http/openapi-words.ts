/** The OpenAPI document with the names of a profile. */
import { OPERATIONS } from '../../service/operations/table.ts'
import type { Codec, ShownField, ShownWords } from '../../spec/contract/codec.ts'
import type { Contract } from '../../spec/contract/contract.ts'
import { ENDPOINTS, type OperationId } from '../../spec/contract/endpoints.ts'
import { EVENT_TYPES, eventName } from '../../spec/contract/event.ts'
import { idKindOf } from '../../spec/contract/ids.ts'
import { FIELDS, OBJECT_KINDS, type ObjectKind } from '../../spec/contract/profile-kinds.ts'
import { nameIn } from '../../spec/contract/renaming.ts'
import { RESOURCE_NAMES } from '../../spec/contract/resources/index.ts'
import { isTime, withoutFraction } from '../../spec/contract/time.ts'
import type { JsonObject } from '../../spec/contract/wire.ts'

interface Schema extends JsonObject {
  properties?: Record<string, JsonObject>
  required?: readonly string[]
}

interface Parameter extends JsonObject {
  name: string
  in: string
}

interface Described extends JsonObject {
  operationId: OperationId
  parameters: readonly Parameter[]
}

interface Document extends JsonObject {
  paths: Record<string, Record<string, Described>>
  components: { schemas: Record<string, Schema> }
}

export function documentUnder(document: JsonObject, contract: Contract): JsonObject {
  const { codec } = contract
  const withExamples = mapped(document, (value, key) =>
    key === 'example' ? example(value, contract) : value,
  )
  if (codec === undefined) return withExamples
  const { paths, components } = withExamples as Document
  const words = componentWords(codec, contract.added)
  return {
    ...withExamples,
    paths: mapValues(paths, (methods) => mapValues(methods, (operation) => withParameters(operation, codec))),
    components: {
      ...components,
      schemas: mapValues(components.schemas, (schema, name) => withWords(schema, words.get(name))),
    },
  }
}

/** How a profile writes each component's object. */
function componentWords(codec: Codec, added: Contract['added']): Map<string, ShownWords> {
  const bodies = OPERATIONS.flatMap(({ id, body }): [string, ShownWords][] => {
    const kind = ENDPOINTS[id].what
    const names = [...FIELDS[kind], ...(kind === 'event' ? [] : added[kind].map(({ name }) => name))]
    const fields = names.map((name) => [name, { name: codec.names(kind).write(name) }] as const)
    return [[String(body?.meta()?.id), { fields: new Map(fields), constants: {}, ours: new Map() }]]
  })
  return new Map([
    ...bodies,
    ...OBJECT_KINDS.map((kind): [string, ShownWords] => [inPascalCase(kind), codec.shown(kind)]),
    ...EVENT_TYPES.map((type): [string, ShownWords] => [eventName(type), codec.shown('event')]),
    ...[...RESOURCE_NAMES, 'event' as const].map((kind): [string, ShownWords] => [
      `${inPascalCase(kind)}Page`,
      codec.page(kind),
    ]),
  ])
}

const inPascalCase = (kind: ObjectKind) =>
  kind.replaceAll(/(?:^|_)(\w)/g, (_, first: string) => first.toUpperCase())

function withWords(schema: Schema, words: ShownWords | undefined): Schema {
  const { properties, required } = schema
  if (words === undefined || properties === undefined) return schema
  const { fields, constants } = words
  const shown = Object.entries(properties).flatMap(([name, value]): [string, JsonObject][] => {
    const field = fields.get(name)
    return field ? [[field.name, written(value, field)]] : []
  })
  const added = mapValues(constants, (value) => ({
    const: value,
    ...(typeof value === 'string' && { enum: [value] }),
  }))
  const names = required?.flatMap((name) => fields.get(name)?.name ?? []).concat(Object.keys(constants))
  return {
    ...schema,
    properties: { ...Object.fromEntries(shown), ...added },
    ...(names && { required: names }),
  }
}

/** The schema of a value that the profile may reword or write as null. */
function written(
  schema: JsonObject,
  { words, isNullable }: Pick<ShownField, 'words' | 'isNullable'>,
): JsonObject {
  if (isNullable) return { ...schema, type: [schema.type, 'null'] }
  return words
    ? mapped(schema, (value) => (typeof value === 'string' ? nameIn(words.theirs, value) : value))
    : schema
}

function withParameters(operation: Described, codec: Codec): Described {
  const kind = ENDPOINTS[operation.operationId].what
  const parameters = operation.parameters.map((parameter) => {
    if (parameter.in !== 'query') return parameter
    const words = codec.wordsOfParameter(kind, parameter.name)
    return {
      ...written(parameter, { words }),
      name: codec.parameters(kind).write(parameter.name),
    } as Parameter
  })
  return { ...operation, parameters }
}

/** The example of an id or a time in the profile's form; other examples are unchanged. */
function example(value: unknown, contract: Contract): unknown {
  if (typeof value !== 'string') return value
  if (isTime(value) && !contract.profile.timestamps.milliseconds) return withoutFraction(value)
  const kind = idKindOf(value)
  return kind !== undefined && kind in contract.profile.ids.prefixes ? contract.exampleId(kind) : value
}

/** A copy of the JSON with `change` applied to each value. */
const mapped = (json: JsonObject, change: (value: unknown, key: string) => unknown): JsonObject =>
  JSON.parse(JSON.stringify(json), (key, value) => change(value, key))

const mapValues = <Value, Mapped>(
  object: Readonly<Record<string, Value>>,
  of: (value: Value, name: string) => Mapped,
): Record<string, Mapped> =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, of(value, name)]))
