/** The tester's API as a separate OpenAPI 3.1 document, derived from its routes. */
import { z } from 'zod'
import type { LocatedProblem } from '../../sandbox/scenario-file/source-file.ts'
import { writes } from '../../spec/contract/endpoints.ts'
import { ErrorBody, statusName } from '../../spec/contract/errors.ts'
import { Components, jsonContent, pathParameters, queryParameters } from '../../spec/contract/openapi.ts'
import type { JsonObject } from '../../spec/contract/wire.ts'
import { VERSION } from '../../spec/package.ts'
import type { ControlRoute } from './route.ts'
import { SANDBOX_ROUTES } from './sandbox-verbs.ts'
import { SIMULATOR_ROUTES } from './simulator-verbs.ts'

/** The refusals of every route: a wrong request, a wrong or missing token, a foreign page, a bug. */
const COMMON_REFUSALS = [400, 401, 403, 500] as const

const ON_SIMULATOR = { tag: 'simulator', prefix: '', target: 'It acts on the simulator.' }
const ON_DEFAULT = { tag: 'sandbox', prefix: '', target: 'It acts on the sandbox `default`.' }
const ON_NAMED = { tag: 'sandbox', prefix: 'sandbox.', target: 'It acts on the sandbox that the path names.' }

/** Every sandbox route is described twice: without a name, for `default`, and below a name. */
const BASES: readonly [base: string, routes: readonly ControlRoute<never>[], on: typeof ON_SIMULATOR][] = [
  ['/_sim', SIMULATOR_ROUTES, ON_SIMULATOR],
  ['/_sim', SANDBOX_ROUTES, ON_DEFAULT],
  ['/_sim/sandboxes/{sandbox}', SANDBOX_ROUTES, ON_NAMED],
]

export function testersDocument(origin: string): JsonObject {
  const components = new Components()
  const paths: Record<string, JsonObject> = {}
  for (const [base, routes, { tag, prefix, target }] of BASES)
    for (const route of routes) {
      const path = base + route.path
      paths[path] ??= {}
      paths[path][route.method.toLowerCase()] = {
        operationId: prefix + route.id,
        tags: [tag],
        description: target,
        ...described(route, path, components),
      }
    }
  return {
    openapi: '3.1.0',
    info: {
      title: "paysim, the tester's side",
      version: VERSION,
      description:
        'Steers a simulator. The sandbox `default` is below /_sim, any sandbox below /_sim/sandboxes/{sandbox}.',
      contact: { name: 'The maintainers of paysim' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: origin }],
    security: [{}, { adminToken: [] }],
    tags: [
      { name: 'simulator', description: 'The whole simulator' },
      { name: 'sandbox', description: 'The data, behaviors and journal of one platform' },
    ],
    paths,
    components: {
      schemas: components.schemas,
      securitySchemes: {
        adminToken: { type: 'http', scheme: 'bearer', description: 'Where the simulator was given one' },
      },
    },
  }
}

function described(route: ControlRoute<never>, path: string, components: Components): JsonObject {
  const forWriting = writes(route.method) ? [413, 415, 503] : []
  const statuses = [...new Set([...COMMON_REFUSALS, ...route.refusals, ...forWriting])].sort((a, b) => a - b)
  return {
    summary: route.summary,
    parameters: [...pathParameters(path), ...queryParameters(route.query, components)],
    ...requestBody(route, components),
    responses: {
      [route.status]: answered(route, components),
      ...Object.fromEntries(statuses.map((status) => [status, refused(status, components)])),
    },
  }
}

function requestBody({ body, takes }: ControlRoute<never>, components: Components): JsonObject {
  if (takes !== undefined) return { requestBody: { required: true, content: { [takes]: {} } } }
  if (!body) return {}
  return {
    requestBody: { required: !body.safeParse({}).success, content: jsonContent(components.reference(body)) },
  }
}

function answered({ status, answer, gives = [] }: ControlRoute<never>, components: Components): JsonObject {
  const content = {
    ...(answer && jsonContent(components.reference(answer))),
    ...Object.fromEntries(gives.map((type) => [type, {}])),
  }
  const description = status === 201 ? 'Created' : status === 204 ? 'Done' : 'OK'
  return { description, ...(Object.keys(content).length > 0 && { content }) }
}

const TesterError = ErrorBody.extend({
  problems: z
    .array(
      z.object({
        file: z.string(),
        line: z.int(),
        column: z.int(),
        message: z.string(),
      } satisfies Record<keyof LocatedProblem, z.ZodType>),
    )
    .optional()
    .describe('The mistakes in a scenario, by place'),
}).meta({ id: 'Error' })

const refused = (status: number, components: Components): JsonObject => ({
  description: statusName(status),
  content: jsonContent(components.reference(TesterError)),
})
