/** The tester's side as an OpenAPI 3.1 document of its own, made from its rows. */
import { VERSION } from '../config.ts'
import { ErrorBody, statusName } from '../contract/errors.ts'
import {
  Components,
  type JsonObject,
  jsonContent,
  pathParameters,
  queryParameters,
} from '../contract/openapi.ts'
import type { ControlRoute } from './route.ts'
import { SANDBOX_ROUTES, SIMULATOR_ROUTES } from './routes.ts'

/** What any row can be refused with: a wrong request, and somebody who may not ask. */
const ANYWHERE = [400, 401, 403, 500] as const

/** Every sandbox row is there twice: for the sandbox that is named, and for `default` without a name. */
const BASES = [
  { path: '/_sim', prefix: '' },
  { path: '/_sim/sandboxes/{sandbox}', prefix: 'sandbox.' },
]

export function testersDocument(origin: string): JsonObject {
  const components = new Components()
  const paths: Record<string, JsonObject> = {}
  const add = (path: string, id: string, row: ControlRoute<never>) => {
    paths[path] ??= {}
    paths[path]![row.method.toLowerCase()] = { operationId: id, ...described(row, path, components) }
  }
  for (const row of SIMULATOR_ROUTES) add(`/_sim${row.path}`, row.id, row as ControlRoute<never>)
  for (const { path, prefix } of BASES) {
    for (const row of SANDBOX_ROUTES)
      add(`${path}${row.path}`, `${prefix}${row.id}`, row as ControlRoute<never>)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: "paysim, the tester's side",
      version: VERSION,
      description:
        'Steers a simulator. Below /_sim stands the sandbox `default`, below /_sim/sandboxes/{sandbox} any other.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: origin }],
    security: [{}, { adminToken: [] }],
    paths,
    components: {
      schemas: components.schemas,
      securitySchemes: {
        adminToken: { type: 'http', scheme: 'bearer', description: 'Where the simulator was given one' },
      },
    },
  }
}

function described(row: ControlRoute<never>, path: string, components: Components): JsonObject {
  const statuses = [...new Set([...ANYWHERE, ...row.refusals])].sort((one, other) => one - other)
  return {
    summary: row.summary,
    parameters: [...pathParameters(path), ...queryParameters(row.query, components)],
    ...requestBody(row, components),
    responses: {
      [row.status]: answered(row, components),
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

const refused = (status: number, components: Components): JsonObject => ({
  description: statusName(status),
  content: jsonContent(components.reference(ErrorBody)),
})
