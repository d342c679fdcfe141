/** A tool for each tester's verb, from the routes of `/_sim`, and the toolsets that an agent can get. */
import { z } from 'zod'
import { writes } from '../../spec/contract/endpoints.ts'
import { shortened } from '../../spec/contract/shortened.ts'
import { didYouMean } from '../../spec/contract/suggest.ts'
import { DEFAULT_SANDBOX } from '../../spec/options/sandbox.ts'
import type { ControlRoute } from '../control/route.ts'
import { SANDBOX_ROUTES } from '../control/sandbox-verbs.ts'
import { SIMULATOR_ROUTES } from '../control/simulator-verbs.ts'
import { verbAt, verbRequest } from '../control/verb.ts'

type InputSchema = z.core.JSONSchema.BaseSchema

export type Tool = ReturnType<typeof toolFor>
export type ToolRequest = ReturnType<Tool['request']>
export type Arguments = Readonly<Record<string, unknown>>

type AnyRoute = ControlRoute<never>

/** The base path of every sandbox route, also for `default`. */
const SANDBOX_BASE = '/_sim/sandboxes/{sandbox}'

export const TOOLS: readonly Tool[] = [
  ...SIMULATOR_ROUTES.map((route) => ({ route: route as AnyRoute, base: '/_sim' })),
  ...SANDBOX_ROUTES.map((route) => ({ route: route as AnyRoute, base: SANDBOX_BASE })),
].map(({ route, base }) => toolFor(route, base))

/**
 * The default tools: to arm faults, let the app run and read what it did. All tools are 80 KB that an agent reads before its
 * first word.
 */
const USUAL: readonly string[] = [
  ...['sandboxes_get', 'reset', 'clock_advance'],
  ...['arm', 'behaviors_list', 'disarm'],
  ...['requests_list', 'explain', 'deliveries_list', 'ledger', 'audit'],
  'checkouts_approve',
]

export const TOOLSETS = {
  default: USUAL.map(toolNamed),
  all: TOOLS,
}

function toolNamed(name: string): Tool {
  const found = TOOLS.find((tool) => tool.name === name)
  if (!found) throw new Error(`no verb has the tool ${name}`)
  return found
}

export type Toolset = keyof typeof TOOLSETS

export const isToolset = (word: string): word is Toolset => Object.hasOwn(TOOLSETS, word)

function toolFor(route: AnyRoute, base: string) {
  const path = `${base}${route.path}`
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
  const inQuery = Object.keys(route.query?.shape ?? {})
  const input = inputSchema(route, base, inPath)
  const verb = verbAt(`${route.method} ${path}`, {
    args: [...inPath.map((name) => `{${name}}` as const), 'query', 'body'],
  })
  return {
    name: route.id.replaceAll('.', '_'),
    description: `${route.summary}.`,
    /** JSON Schema of its arguments. */
    input,
    readsOnly: !writes(route.method),
    removes: route.method === 'DELETE' || route.id === 'reset',
    request(args: Arguments) {
      judge(args, input)
      const values: Arguments = { sandbox: DEFAULT_SANDBOX, ...args }
      const query = Object.fromEntries(inQuery.map((name) => [name, values[name]]))
      const { body, ...sent } = verbRequest(verb, ...inPath.map((name) => values[name]), query, values.body)
      return { ...sent, body: typeof body === 'string' ? body : JSON.stringify(body) }
    },
  }
}

/** Refuses missing and unknown arguments; the simulator checks the values. */
function judge(args: Arguments, { properties = {}, required = [] }: InputSchema): void {
  const missing = required.find((name) => args[name] === undefined)
  if (missing !== undefined) throw new Error(`${missing} is missing`)
  const known = Object.keys(properties)
  const unknown = Object.keys(args).find((name) => !known.includes(name))
  if (unknown !== undefined) throw new Error(`${shortened(unknown)} is unknown${didYouMean(unknown, known)}`)
}

function inputSchema(route: AnyRoute, base: string, inPath: readonly string[]): InputSchema {
  const parameters = Object.fromEntries(inPath.map((name) => [name, z.string()]))
  const sandbox = z.string().optional().describe(`Its name; ${DEFAULT_SANDBOX} if left out`)
  const { $schema, ...schema } = z.toJSONSchema(
    z.object({
      ...parameters,
      ...(base === SANDBOX_BASE && { sandbox }),
      ...route.query?.shape,
      ...(bodySchema(route) && { body: bodySchema(route)! }),
    }),
    { io: 'input', unrepresentable: 'any' },
  )
  return schema
}

function bodySchema({ body, takes }: AnyRoute): z.ZodType | undefined {
  if (takes !== undefined) {
    const description = 'YAML or JSON: one behavior, a list of behaviors, or a scenario file'
    return z.union([z.string(), z.looseObject({}), z.array(z.looseObject({}))]).meta({ description })
  }
  return body?.safeParse({}).success ? body.optional() : body
}
