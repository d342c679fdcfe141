/** Handles the forms: each is a request below `/_sim`, then a redirect to a page with a sentence about the result. */
import { notFound } from '../../spec/contract/errors.ts'
import {
  type ControlRequest,
  controlRequestOf,
  type Fields,
  isAction,
  refusedForm,
  resultOf,
  urlOf,
} from './actions.ts'
import { curlLine } from './blocks.tsx'
import { inPath, type PageRequest, type PageRoute, type Reply } from './page-request.ts'
import type { Dashboard, View } from './view.ts'

export const actionForm: PageRoute = { method: 'POST', path: '/do/:action', reply: act }

async function act(request: PageRequest): Promise<Reply> {
  const { c, view, dashboard } = request
  const { sessions } = dashboard
  const action = inPath(c, 'action')
  if (!isAction(action)) throw notFound('Page')
  const form = await sessions.formOf(c)
  if ('to' in form) return form
  const fields = await withYaml(form.fields, dashboard)
  const asked = controlRequestOf(action, fields)
  const response = await send(dashboard, view, asked)
  const text = await response.text()
  const answer = text === '' ? {} : JSON.parse(text)
  const result = response.ok ? resultOf(action, answer, fields) : refusedForm(answer, { ...fields, action })
  sessions.keepNotice(form.session, { ...result, curl: curlLine(view, asked) })
  return { to: result.to ?? form.back }
}

/** Adds the YAML: an example's button sends only its file name. */
async function withYaml(fields: Fields, dashboard: Dashboard): Promise<Fields> {
  if (fields.file === undefined) return fields
  const example = (await dashboard.library()).find(({ file }) => file === fields.file)
  return { ...fields, yaml: example?.yaml ?? '', ...(example && { title: example.name }) }
}

function send({ testersSide, adminToken }: Dashboard, view: View, request: ControlRequest) {
  const { method, body: json, yaml } = request
  const body = yaml ?? (json === undefined ? undefined : JSON.stringify(json))
  return testersSide(
    new Request(urlOf(view, request), {
      method,
      headers: {
        'content-type': yaml === undefined ? 'application/json' : 'application/yaml',
        ...(adminToken !== undefined && { authorization: `Bearer ${adminToken}` }),
      },
      ...(body !== undefined && { body }),
    }),
  )
}
