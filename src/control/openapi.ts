/** The tester's side as an OpenAPI 3.1 document of its own, made from its rows. */
import { VERSION } from '../config.ts'
import { ErrorBody, statusName } from '../contract/errors.ts'
import { Components, type Json, json, pathParameters, queryParameters } from '../contract/openapi.ts'
import { SANDBOX_ROWS, SIMULATOR_ROWS } from './routes.ts'
import type { Row } from './row.ts'

/** What any row can be refused with: a wrong request, and somebody who may not ask. */
const ANYWHERE = [400, 401, 403, 500] as const

/** Every sandbox row is there twice: for the sandbox that is named, and for `default` without a name. */
const BASES = [
  { path: '/_sim', prefix: '' },
  { path: '/_sim/sandboxes/{sandbox}', prefix: 'sandbox.' },
]

export function testersDocument(origin: string): Json {
  const components = new Components()
  const paths: Record<string, Json> = {}
  const add = (path: string, id: string, row: Row<never>) => {
    paths[path] ??= {}
    paths[path]![row.method.toLowerCase()] = { operationId: id, ...described(row, path, components) }
  }
  for (const row of SIMULATOR_ROWS) add(`/_sim${row.path}`, row.id, row as Row<never>)
  for (const { path, prefix } of BASES) {
    for (const row of SANDBOX_ROWS) add(`${path}${row.path}`, `${prefix}${row.id}`, row as Row<never>)
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

function described(row: Row<never>, path: string, components: Components): Json {
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

function requestBody({ body, takes }: Row<never>, components: Components): Json {
  if (takes !== undefined) return { requestBody: { required: true, content: { [takes]: {} } } }
  if (!body) return {}
  return { requestBody: { required: !body.safeParse({}).success, content: json(components.reference(body)) } }
}

function answered({ status, answer, gives = [] }: Row<never>, components: Components): Json {
  const content = {
    ...(answer && json(components.reference(answer))),
    ...Object.fromEntries(gives.map((type) => [type, {}])),
  }
  const description = status === 201 ? 'Created' : status === 204 ? 'Done' : 'OK'
  return { description, ...(Object.keys(content).length > 0 && { content }) }
}

const refused = (status: number, components: Components): Json => ({
  description: statusName(status),
  content: json(components.reference(ErrorBody)),
})
