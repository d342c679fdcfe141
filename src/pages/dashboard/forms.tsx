/** Handles the forms: each is a request below `/_sim` or `/v1`, then a redirect to a page with a sentence about the result. */
import type { LocatedProblem } from '../../sandbox/scenario-file/source-file.ts'
import { asSentence } from '../../spec/contract/suggest.ts'
import {
  ACTIONS,
  type ControlRequest,
  type DashboardAction,
  type Fields,
  isAction,
  urlOf,
} from './actions.ts'
import { showBehaviors } from './behaviors.tsx'
import { curlLine } from './blocks.tsx'
import type { Dashboard } from './dashboard-parts.ts'
import { inPath, type PageRequest, type PageRoute, type Reply } from './page-request.ts'
import { unknownPage } from './sentence-pages.tsx'
import type { View } from './view.ts'

export const actionForm: PageRoute = { method: 'POST', path: '/do/:action', reply: act }

async function act(request: PageRequest): Promise<Reply> {
  const { c, view, dashboard } = request
  const { sessions } = dashboard
  const name = inPath(c, 'action')
  if (!isAction(name)) return unknownPage(c)
  const form = await sessions.formOf(c)
  if ('to' in form) return form
  const { session, back } = form
  const fields = await withYaml(form.fields, dashboard)
  if (name === 'arm') {
    const { yaml = '' } = fields
    const mistakes = await mistakesIn(yaml)
    if (mistakes.length > 0) return showBehaviors(request, yaml, mistakes)
  }

  const action: DashboardAction = ACTIONS[name]
  const asked = action.request(fields)
  const response = await send(dashboard, view, asked)
  const answer = await jsonOf(response)
  if (!response.ok) {
    const { message = String(response.status) } = answer as { message?: string }
    sessions.keepNotice(session, { tone: 'warn', text: asSentence(message) })
    return { to: back }
  }
  const notice = action.notice(answer as never, fields)
  sessions.keepNotice(session, {
    ...(typeof notice === 'string' ? { tone: 'good', text: notice } : notice),
    curl: curlLine(view, asked),
  })
  return { to: action.leadsTo?.(answer as never, fields, view.links) ?? back }
}

/** Adds the YAML: an example's button sends only its file name. */
async function withYaml(fields: Fields, dashboard: Dashboard): Promise<Fields> {
  if (fields.file === undefined) return fields
  const example = (await dashboard.library()).find(({ file }) => file === fields.file)
  return { ...fields, yaml: example?.yaml ?? '', ...(example && { title: example.name }) }
}

/** Reads only the behaviors: a thousand cases of ten thousand steps would fill the memory. */
async function mistakesIn(yaml: string): Promise<readonly LocatedProblem[]> {
  const { parseBehaviors, ScenarioError } = await import('../../sandbox/scenario-file/read.ts')
  try {
    parseBehaviors(yaml)
    return []
  } catch (cause) {
    if (cause instanceof ScenarioError) return cause.problems
    throw cause
  }
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

async function jsonOf(response: Response): Promise<unknown> {
  const text = await response.text()
  return text === '' ? {} : JSON.parse(text)
}
