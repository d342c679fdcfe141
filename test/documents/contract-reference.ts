/** The parts of docs/contract.md that are generated from the definitions: fields, filters, states and a real example of each operation. */
import { z } from 'zod'
import { OPERATIONS } from '../../src/service/operations/table.ts'
import { ENDPOINTS } from '../../src/spec/contract/endpoints.ts'
import type { ResourceField } from '../../src/spec/contract/resources/field.ts'
import { BY_NAME } from '../../src/spec/contract/resources/index.ts'
import { createSimulator } from '../../src/tools/compose.ts'
import type { JsonSchema } from './schema-table.ts'
import { table } from './table.ts'

const resourceOf = (operation: string) =>
  BY_NAME.find(({ collection }) => operation.startsWith(`${collection}.`))

type WithDefinitions = JsonSchema & { $defs?: Record<string, JsonSchema> }

/** A schema with an id is serialized as a reference to one of its definitions. */
function schemaOf(schema: z.ZodType): WithDefinitions {
  const { $ref, $defs, ...written } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
  }) as WithDefinitions
  return { ...($ref === undefined ? written : $defs![$ref.split('/').at(-1)!]), ...($defs && { $defs }) }
}

export const requestFields = (operations = OPERATIONS) =>
  table(
    ['Operation', 'Field', 'Takes', ''],
    operations.flatMap(({ id, method, path, body }) => {
      if (body === undefined) return []
      const { properties = {}, required = [], $defs = {} } = schemaOf(body)
      const fields = (resourceOf(id)?.fields ?? {}) as Record<string, ResourceField>
      return Object.entries(properties).map(([name, schema]) => [
        `\`${method} ${path}\``,
        `\`${name}\`${required.includes(name) ? ' (required)' : ''}`,
        takes(schema, $defs),
        aboutOf(fields[name]),
      ])
    }),
  )

function takes(schema: JsonSchema, definitions: Record<string, JsonSchema>): string {
  const {
    $ref,
    anyOf,
    enum: words,
    format,
    maxLength,
    // Of an optional field: its type, and null.
    type: types,
  } = schema as JsonSchema & { format?: string; maxLength?: number }
  const [type] = [types].flat()
  if ($ref?.endsWith('/Amount')) return 'an amount'
  if ($ref) return takes(definitions[$ref.split('/').at(-1)!]!, definitions)
  if (anyOf) return takes(anyOf[0]!, definitions)
  if (words) return words.map((word) => `\`${word}\``).join(' or ')
  if (type === 'number') return 'a number'
  if (type === 'object') return 'an object of texts'
  if (type === 'boolean') return '`true` or `false`'
  if (format === 'date-time') return 'a time'
  return format === 'uri' ? 'a URL' : `a text of up to ${maxLength} characters`
}

function aboutOf(field: ResourceField | undefined): string {
  if (field?.options.about) return field.options.about
  const to = BY_NAME.find(({ table }) => table === field?.references)
  return to ? `The id of a ${to.words.one.toLowerCase()}`.replace(/ a (?=[aeiou])/, ' an ') : ''
}

export const filters = (operations = OPERATIONS) =>
  table(
    ['List', 'Filters'],
    operations.flatMap(({ method, path, query, maps }) => {
      if (query === undefined) return []
      const names = Object.keys(schemaOf(query).properties ?? {}).filter(
        (name) => !['limit', 'cursor'].includes(name),
      )
      return [
        [
          `\`${method} ${path}\``,
          names.map((name) => `\`${name}${maps.includes(name) ? '[key]' : ''}\``).join(', '),
        ],
      ]
    }),
  )

export const resources = () =>
  table(
    ['Resource', 'Fields', '`status`', 'Found by a search'],
    BY_NAME.map(({ words, Shown, states, fields }) => [
      words.one,
      Object.keys((Shown as z.ZodObject).shape)
        .map((name) => `\`${name}\``)
        .join(', '),
      'status' in fields ? states.map((state) => `\`${state}\``).join(', ') : '',
      ['id', ...searchedFields(fields)].map((name) => `\`${name}\``).join(', '),
    ]),
  )

const searchedFields = (fields: Readonly<Record<string, ResourceField>>) =>
  Object.keys(fields).filter((name) => fields[name]!.options.search)

const URLS = { successUrl: 'https://shop.example/ok', cancelUrl: 'https://shop.example/no' }

/** Calls each operation, then one that fails. Writes come first, because the reads need the created resources. */
export async function examples(): Promise<string> {
  const simulator = createSimulator({ rateLimit: 'off', seed: 1, clock: 'frozen@2026-01-01T00:00:00Z' })
  const blocks: string[] = []
  const origin = 'http://127.0.0.1:4100'
  const call = async (path: string, body?: object, isShown = true, method = 'POST') => {
    const sent = body && JSON.stringify(body)
    const headers = {
      'x-api-key': 'sk_staging_default',
      'idempotency-key': crypto.randomUUID(),
      ...(body && { 'content-type': 'application/json' }),
    }
    const response = await simulator.fetch(
      new Request(`${origin}${path}`, { method, headers, ...(sent && { body: sent }) }),
    )
    const text = await response.text()
    const location = response.headers.get('location')
    if (isShown)
      blocks.push(
        [
          `${method} ${path}`,
          ...(sent ? [filled(sent)] : []),
          '',
          `${response.status}${location ? `\nlocation: ${location}` : ''}`,
          filled(text),
        ].join('\n'),
      )
    return JSON.parse(text) as Record<'id' | 'customerId' | 'paymentMethodId', string> & {
      data: { id: string }[]
    }
  }
  await call('/v1/customers', { externalId: 'acme', name: 'Acme Inc.', email: 'pay@acme.example' })
  const canceled = await call(
    '/v1/checkouts',
    { ...URLS, orderId: 'order-1', externalId: 'acme', amount: 5 },
    false,
  )
  const checkout = await call('/v1/checkouts', {
    ...URLS,
    orderId: 'order-2',
    externalId: 'acme',
    amount: 100,
  })
  const { customerId, paymentMethodId } = await call(`/v1/checkouts/${checkout.id}/confirm`)
  await call(`/v1/checkouts/${checkout.id}/refunds`, { amount: 25 })
  await call(`/v1/checkouts/${canceled.id}/cancel`)
  const held = await call('/v1/authorizations', { customerId, amount: 80, orderId: 'order-3' })
  await call(`/v1/authorizations/${held.id}/capture`, { amount: 60 })
  await call('/v1/refunds', { authorizationId: held.id, amount: 10.5 })
  const released = await call('/v1/authorizations', { externalId: 'acme', amount: 7 }, false)
  await call(`/v1/authorizations/${released.id}/void`)
  await call(`/v1/customers/${customerId}/payment-methods/${paymentMethodId}/detach`)
  const newest: Record<string, string> = {}
  for (const { id, method, path } of OPERATIONS.filter((operation) => operation.method === 'GET')) {
    const collection = path.split('/')[2]!
    const asked = path.replace('{id}', newest[collection]!).replace('{paymentMethodId}', paymentMethodId)
    const query = ENDPOINTS[id].does === 'list' ? '?limit=1' : ''
    const { data } = await call(asked + query, undefined, true, method)
    if (data?.length === 0) throw new Error(`${asked} has nothing to show: create it above`)
    newest[collection] ??= data[0]!.id
  }
  await call(`/v1/checkouts/${canceled.id}/confirm`)
  await simulator.close()
  return blocks.map((block) => `\`\`\`http\n${block}\n\`\`\``).join('\n\n')
}

/** Formats JSON with a space after each colon and comma, in lines of at most 118 characters. */
function filled(json: string): string {
  const parts = json.replaceAll('":', '": ').split(/(?<=,)(?=")/)
  const lines = ['']
  for (const part of parts) {
    const line = lines.at(-1)!
    if (line.length + part.length < 118) lines[lines.length - 1] = line === '' ? part : `${line} ${part}`
    else lines.push(` ${part}`)
  }
  return lines.join('\n')
}
