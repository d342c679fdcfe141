/**
 * Writes out what the source makes from schemas by `Written`: an interface, with the description of each schema as the comment
 * that an editor shows. A schema or a type that is missing here fails the build.
 */
import { dirname, relative } from 'node:path'
import { z } from 'zod'
import { Behavior } from './src/sandbox/scenario-file/behavior.ts'
import { Matcher } from './src/sandbox/scenario-file/matcher.ts'
import { RequestExpectation } from './src/sandbox/scenario-file/requests.ts'
import { BuyerOptions, NewPaymentMethod } from './src/spec/contract/tester.ts'
import { Fixture } from './src/spec/options/fixture.ts'
import { DeliveryFilter, DueWindow, EventFilter, HistoryWindow } from './src/tester/control/inputs.ts'

const SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  Behavior,
  BuyerOptions,
  DeliveryFilter,
  DueWindow,
  EventFilter,
  Fixture,
  HistoryWindow,
  Matcher,
  NewPaymentMethod,
  RequestExpectation,
}

/** The types that a schema with this id has by their names, and where they are declared. */
const NAMED: Readonly<Record<string, { type: string; from: string }>> = {
  Call: { type: 'CallPattern', from: 'spec/contract/endpoints.ts' },
  Stub: { type: 'CallPattern', from: 'spec/contract/endpoints.ts' },
  OperationPattern: { type: 'OperationPattern', from: 'spec/contract/endpoints.ts' },
  EventPattern: { type: 'EventPattern', from: 'spec/contract/event.ts' },
  Duration: { type: 'DurationOrMs', from: 'spec/options/values.ts' },
  Matcher: { type: 'Matcher', from: 'sandbox/scenario-file/matcher.ts' },
}

/** What a file needs beside the interfaces that are written out. */
interface Beside {
  /** Ids of {@link NAMED}. */
  named: Set<string>
  /** Interfaces of one property each, by their names. */
  shared: Map<string, string>
}

const WRITTEN = /^export type (\w+) = Written<typeof (\w+)>;$/gm

/** A declaration file, by its path in src, as a user has it. */
export function withWrittenTypes(text: string, file: string): string {
  const beside: Beside = { named: new Set(), shared: new Map() }
  const withTypes = text.replaceAll(WRITTEN, (_, name, schema) => {
    const made = SCHEMAS[schema]
    if (!(made instanceof z.ZodObject)) throw new Error(`${schema} of ${file} is missing in written-types.ts`)
    return `export interface ${name} ${fields(made.shape, '', beside)}`
  })
  const imports = [...beside.named].map((id) => {
    const { type, from } = NAMED[id]!
    const there = relative(dirname(file), from)
    return `import type { ${type} as ${aliasOf(id)} } from '${there.startsWith('.') ? there : `./${there}`}';\n`
  })
  return [...imports, withTypes, ...beside.shared.values()].join('')
}

/** The file may import the type already. */
const aliasOf = (id: string) => `Written${id}`

function fields(shape: z.ZodRawShape, indent: string, beside: Beside): string {
  const inner = `${indent}  `
  const lines = Object.entries(shape as Record<string, z.ZodType>).map(([name, schema]) => {
    const mark = schema.isOptional() ? '?' : ''
    return `${inner}/** ${commentOf(name, schema)} */\n${inner}${name}${mark}: ${typeOf(schema, inner, beside)}${mark && ' | undefined'};\n`
  })
  return `{\n${lines.join('')}${indent}}`
}

/** A property that several forms have is declared once: of two declarations an editor shows neither comment. */
function forms(options: readonly z.ZodType[], indent: string, beside: Beside): string[] {
  const shapes = options.map((one) => (one instanceof z.ZodObject ? (one.shape as z.ZodRawShape) : {}))
  const isShared = ([name, schema]: [string, unknown]) =>
    shapes.filter((shape) => shape[name] === schema).length > 1
  return options.map((option, index) => {
    const entries = Object.entries(shapes[index]!)
    const shared = entries.filter(isShared).map(([name, schema]) => {
      beside.shared.set(name, `interface With_${name} ${fields({ [name]: schema }, '', beside)}\n`)
      return ` & With_${name}`
    })
    if (shared.length === 0) return typeOf(option, indent, beside)
    return (
      fields(Object.fromEntries(entries.filter((one) => !isShared(one))), indent, beside) + shared.join('')
    )
  })
}

function commentOf(name: string, schema: z.ZodType): string {
  const text = descriptionOf(schema)
  if (text === undefined) throw new Error(`the schema of ${name} has no description`)
  const { type, defaultValue } = schema._zod.def as { type: string; defaultValue?: unknown }
  const fallback = type === 'default' && typeof defaultValue !== 'object' ? ` Left out, ${defaultValue}.` : ''
  // `reset: RST` begins with a value, which stays as it is written.
  const begin = /^[\w-]+:/.test(text) ? text[0]! : text[0]!.toUpperCase()
  return `${begin}${text.slice(1)}.${fallback}`
}

function descriptionOf(schema: z.ZodType): string | undefined {
  const { innerType } = schema._zod.def as { innerType?: z.ZodType }
  return z.globalRegistry.get(schema)?.description ?? (innerType && descriptionOf(innerType))
}

function typeOf(schema: z.ZodType, indent: string, beside: Beside): string {
  const { id } = z.globalRegistry.get(schema) ?? {}
  if (id !== undefined && id in NAMED) {
    beside.named.add(id)
    return aliasOf(id)
  }
  const { def } = (schema as unknown as z.core.$ZodTypes)._zod
  const inner = (one: z.core.SomeType) => typeOf(one as z.ZodType, indent, beside)
  switch (def.type) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'unknown':
      return def.type
    case 'literal':
      return def.values.map((value) => JSON.stringify(value)).join(' | ')
    case 'enum':
      return Object.values(def.entries)
        .map((value) => JSON.stringify(value))
        .join(' | ')
    case 'array':
      return `(${inner(def.element)})[]`
    case 'record':
      return `Record<string, ${inner(def.valueType)}>`
    case 'union':
      return forms(def.options as readonly z.ZodType[], indent, beside).join(' | ')
    case 'object':
      return fields(def.shape as z.ZodRawShape, indent, beside)
    case 'pipe':
      return inner(def.in)
    case 'optional':
    case 'default':
      return inner(def.innerType)
    default:
      throw new Error(`a schema of the kind ${def.type} is not written out`)
  }
}
