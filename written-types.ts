/**
 * Writes out what the source makes from schemas by `Written`: an interface, with the description of each schema as the comment
 * that an editor shows. A schema or a type that is missing here fails the build. The comment of a verb is written from its row.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, relative } from 'node:path'
import { z } from 'zod'
import { Behavior } from './src/sandbox/scenario-file/behavior.ts'
import { Matcher } from './src/sandbox/scenario-file/matcher-schema.ts'
import { RequestExpectation } from './src/sandbox/scenario-file/requests.ts'
import { ProfileChanges } from './src/spec/contract/profile.ts'
import { TESTER_ACTS } from './src/spec/contract/resources/by-tester.ts'
import { TextMap } from './src/spec/contract/resources/field.ts'
import { DEFINITIONS } from './src/spec/contract/resources/index.ts'
import { BuyerOptions } from './src/spec/contract/tester.ts'
import { StagingChanges } from './src/spec/environments/values.ts'
import { Fixture } from './src/spec/options/fixture.ts'
import { metaOf } from './src/spec/options/option.ts'
import {
  AuditOptions,
  ListenerSettings,
  UnseededOptions,
  WebhookOptions,
  WebhookSettings,
} from './src/spec/options/sandbox.ts'
import { ListenSettings, SimulatorSettings } from './src/spec/options/simulator.ts'
import { ClockObject, ClockText, EventWord } from './src/spec/options/values.ts'
import {
  DeliveryFilter,
  DueWindow,
  EventFilter,
  HistoryWindow,
  NewEvent,
  Reset,
  Settling,
  TimeOrDate,
  Waiting,
} from './src/tester/control/inputs.ts'
import { RequestFilter, RequestStatus, TimeOrRequest } from './src/tester/control/request-filter.ts'
import { commentsIn } from './src/tester/control/route.ts'
import { SANDBOX_VERBS } from './src/tester/control/sandbox-verbs.ts'

const SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  Behavior,
  BuyerOptions,
  AuditOptions,
  DeliveryFilter,
  DueWindow,
  EventFilter,
  Fixture,
  HistoryWindow,
  ListenerSettings,
  ListenSettings,
  Matcher,
  NewEvent,
  RequestExpectation,
  RequestFilter,
  Reset,
  Settling,
  SimulatorSettings,
  StagingChanges,
  UnseededOptions,
  Waiting,
  WebhookOptions,
  WebhookSettings,
}

interface NamedType {
  type: string
  from: string
}

/** The types that a schema with this id has by their names, and where they are declared. */
const NAMED: Readonly<Record<string, NamedType>> = {
  Call: { type: 'CallPattern', from: 'spec/contract/endpoints.ts' },
  Stub: { type: 'CallPattern', from: 'spec/contract/endpoints.ts' },
  OperationPattern: { type: 'OperationPattern', from: 'spec/contract/endpoints.ts' },
  EventPattern: { type: 'EventPattern', from: 'spec/contract/event.ts' },
  Duration: { type: 'DurationOrMs', from: 'spec/options/values.ts' },
  Matcher: { type: 'Matcher', from: 'sandbox/scenario-file/matcher-schema.ts' },
}

/** The same for schemas without an id: with one, the documents would show them apart. */
const NAMED_SCHEMAS = new Map<z.ZodType, NamedType>([
  [ClockObject, { type: 'ClockSettings', from: 'spec/options/values.ts' }],
  [ClockText, { type: 'ClockText', from: 'spec/options/values.ts' }],
  [EventWord, { type: 'EventPattern', from: 'spec/contract/event.ts' }],
  [TimeOrDate, { type: 'TimeOrDate', from: 'tester/control/inputs.ts' }],
  [TimeOrRequest, { type: 'TimeOrDate', from: 'tester/control/inputs.ts' }],
  [RequestStatus, { type: 'RequestStatus', from: 'tester/control/request-filter.ts' }],
  [StagingChanges, { type: 'StagingChanges', from: 'spec/environments/values.ts' }],
  [ProfileChanges, { type: 'ProfileChanges', from: 'spec/contract/profile.ts' }],
])

/** What a file needs beside the interfaces that are written out. */
interface Beside {
  /** Where the types are declared that it names. */
  named: Map<string, string>
  /** Interfaces of one property each, by their names. */
  shared: Map<string, string>
}

const WRITTEN = /^export type (\w+) = Written<typeof (\w+)>;$/gm

/** A declaration file, by its path in src, as a user has it. */
export function withWrittenTypes(text: string, file: string): string {
  const beside: Beside = { named: new Map(), shared: new Map() }
  const withTypes = text.replaceAll(WRITTEN, (_, name, schema) => {
    const made = SCHEMAS[schema]
    if (!(made instanceof z.ZodObject)) throw new Error(`${schema} of ${file} is missing in written-types.ts`)
    return `export interface ${name} ${fields(made.shape, '', beside)}`
  })
  const written = basename(file) === 'sandbox-verbs.d.ts' ? withMethods(withTypes, beside) : withTypes
  const imports = [...beside.named].map(([type, from]) => {
    const there = relative(dirname(file), from)
    return `import type { ${type} as ${aliasOf(type)} } from '${there.startsWith('.') ? there : `./${there}`}';\n`
  })
  return [...imports, written, ...beside.shared.values()].join('')
}

/** The interfaces of a table's methods, which the source makes by types, written out. */
function withMethods(text: string, beside: Beside): string {
  const table = /^export declare const SANDBOX_VERBS: (\{\n[\s\S]*?^\});/m.exec(text)![1]!
  const remote = "import type { RemoteMethod } from './remote-call.ts';\n"
  const written = {
    SandboxMethods: methods(table, beside),
    RemoteMethods: methods(table, beside, 'RemoteMethod'),
  }
  return Object.entries(written).reduce((all, [name, body]) => {
    const [before, after, ...more] = all.split(
      new RegExp(`(?<=^export interface ${name} )extends .*\\{\\n\\}`, 'm'),
    )
    if (after === undefined || more.length > 0) throw new Error(`the declaration of ${name} was not found`)
    return before + body + after
  }, `${remote}${text}`)
}

/**
 * The compiler drops the comment of a group, because the table spreads it from the file of its subject. A group of a tester's
 * moves has the words of its resource.
 */
function groupComments(): Map<string, string> {
  const folder = new URL('src/tester/control/', import.meta.url)
  const files = readdirSync(folder).filter((name) => name.endsWith('-verbs.ts'))
  const texts = files.map((name) => readFileSync(new URL(name, folder), 'utf8'))
  const found = texts.flatMap((text) => [...text.matchAll(/^ {2}(\/\*\* .* \*\/)\n {2}(\w+): \{$/gm)])
  const collections = Object.values(DEFINITIONS).map(({ collection, words }): [string, string] => [
    collection,
    `/** ${words.what}. */`,
  ])
  return new Map([...collections, ...found.map(([, comment, group]): [string, string] => [group!, comment!])])
}

/** A verb, or a group of them, as the compiler writes a table: the verbs of a group stand deeper than the group. */
const VERB_LINE = /^( {4}| {8})(\w+): (?:(\{)|.*\bVerb<(.*)>;)$/gm

/** A creation's method with its options written out, so that an editor shows their comments. */
function withOptions(type: string, indent: string, beside: Beside): string {
  const kind = /\bCreateMethod<"(\w+)">$/.exec(type)?.[1]
  if (kind === undefined) return type
  const { options } = TESTER_ACTS.find((act) => act.kind === kind && !act.move)!
  return `(id: string, options?: ${fields(options.shape, indent, beside)}) => ReturnType<${type}>`
}

function methods(table: string, beside: Beside, wrapper?: string): string {
  const comments = new Map(commentsIn(SANDBOX_VERBS))
  const ofGroups = groupComments()
  let group = ''
  const written = table.replaceAll(VERB_LINE, (_, indent: string, word: string, opening, type: string) => {
    if (opening) {
      group = word
      const comment = ofGroups.get(word)
      if (comment === undefined) throw new Error(`the comment of ${word} was not found`)
      return `${indent}${comment}\n${indent}readonly ${word}: {`
    }
    const name = indent.length === 4 ? word : `${group}.${word}`
    const comment = comments.get(name)
    comments.delete(name)
    const method = withOptions(type, indent, beside)
    return `${indent}/** ${comment} */\n${indent}readonly ${word}: ${wrapper ? `${wrapper}<${method}>` : method};`
  })
  const [missing] = comments.keys()
  if (missing !== undefined) throw new Error(`the declaration of ${missing} was not found`)
  return written
}

/** The file may import the type already. */
const aliasOf = (type: string) => `Written${type}`

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
  const fallback = type === 'default' && typeof defaultValue !== 'object' ? `Default: ${defaultValue}` : ''
  const more = inPropertyNames(metaOf(schema)?.inCode ?? fallback)
  // `reset: RST` and `real, frozen` begin with a value, which stays as it is written.
  const begin = /^[\w-]+[:,]/.test(text) ? text[0]! : text[0]!.toUpperCase()
  return `${begin}${inPropertyNames(text.slice(1))}.${more && ` ${more}.`}`
}

/** `tlsKey` for the flag `--tls-key` of which the help of an option speaks. */
const inPropertyNames = (text: string) =>
  text.replaceAll(
    /--([a-z-]+)/g,
    (_, flag) => `\`${flag.replaceAll(/-(.)/g, (_: string, letter: string) => letter.toUpperCase())}\``,
  )

function descriptionOf(schema: z.ZodType): string | undefined {
  const { innerType } = schema._zod.def as { innerType?: z.ZodType }
  return z.globalRegistry.get(schema)?.description ?? (innerType && descriptionOf(innerType))
}

function typeOf(schema: z.ZodType, indent: string, beside: Beside): string {
  const { id = '' } = z.globalRegistry.get(schema) ?? {}
  // With a description of its own it is a copy.
  const named = NAMED[id] ?? NAMED_SCHEMAS.get(schema) ?? NAMED_SCHEMAS.get(schema._zod.parent as z.ZodType)
  if (named) {
    beside.named.set(named.type, named.from)
    return aliasOf(named.type)
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
    case 'readonly':
      return `readonly ${inner(def.innerType)}`
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
      if (schema === TextMap || schema._zod.parent === TextMap) return 'Record<string, string>'
      throw new Error(`a schema of the kind ${def.type} is not written out`)
  }
}
