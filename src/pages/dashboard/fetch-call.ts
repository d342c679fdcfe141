/** A request as a call of `fetch`, to be pasted into a program. */

import { isObject } from '../../spec/contract/parsed-json.ts'
import type { RequestExplained } from '../../tester/control/shapes.ts'
import { laidOutText } from './json-text.tsx'

const CALL = 'await fetch'

export function fetchCall({ method, target, request }: RequestExplained, base: string): string {
  const { 'user-agent': _, ...headers } = request.headers
  const fields = [
    ...Object.entries(headers).map(([name, value]) => `${nameText(name)}: ${JSON.stringify(value)},`),
    `'x-api-key': apiKey,`,
  ]
  return [
    `${CALL}(${JSON.stringify(base + target)}, {`,
    ...(method === 'GET' ? [] : [`  method: ${JSON.stringify(method)},`]),
    '  headers: {',
    ...fields.map((field) => `    ${field}`),
    '  },',
    ...(request.body === '' ? [] : [`  body: ${bodyText(request)},`]),
    '})',
  ].join('\n')
}

const nameText = (name: string) => (/^[a-z]+$/.test(name) ? name : `'${name}'`)

/**
 * The body as an object, if JSON.stringify writes the same bytes; otherwise as text: `1000.00` would become
 * `1000`.
 */
function bodyText({ body, json }: RequestExplained['request']): string {
  if (!isObject(json) || JSON.stringify(json) !== body) return JSON.stringify(body)
  return `JSON.stringify(${laidOutText(body).replaceAll('\n', '\n  ')})`
}
