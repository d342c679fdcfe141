/**
 * Resends a journaled request, unchanged or with another body or key, through the routes of /v1 and the door of the same sandbox,
 * like any platform's request.
 */
import type { Context } from 'hono'
import { writes } from '../../spec/contract/endpoints.ts'
import { SENT_AGAIN } from '../../spec/contract/tester.ts'
import { within } from '../../spec/world/clock.ts'
import { uniqueName } from '../../spec/world/unique-name.ts'
import type { SandboxControl } from '../../tester/control/control.ts'
import type { RequestExplained } from '../../tester/control/shapes.ts'
import { Field } from '../form.tsx'
import { Icon } from '../icons.tsx'
import type { Fields } from './actions.ts'
import { Hidden } from './blocks.tsx'
import { laidOutText } from './json-text.tsx'
import { inPath, type PageRequest, type PageRoute, type Reply, routeTo } from './page-request.ts'
import type { View } from './view.ts'

export const findRequest = (c: Context, control: SandboxControl) => control.request(inPath(c, 'id'))

/** The request that this one repeats; undefined for a platform's own. */
function repeats({ request }: RequestExplained): string | undefined {
  const agent = request.headers['user-agent']
  return agent?.startsWith(SENT_AGAIN) ? agent.slice(SENT_AGAIN.length) : undefined
}

/** Why the journal lacks its body; undefined if it has the sent body. A behavior may respond 413 too, at a later step. */
export const whyNoBody = ({ status, steps }: RequestExplained): string | undefined =>
  status === 413 &&
  steps.some(({ step, outcome }) => step === 'body and media type' && outcome === 'answered')
    ? 'Its body was too large to record.'
    : undefined

/** Why it cannot be resent; undefined if it can. */
function whyNotAgain(request: RequestExplained): string | undefined {
  const { method, target } = request
  if (['CONNECT', 'TRACE', 'TRACK'].includes(method)) return `${method} cannot be sent from here.`
  // A platform has no paths outside of /v1, also after `..` is resolved.
  if (!/^\/v1(?:\/|$)/.test(new URL(target, 'http://paysim.test').pathname))
    return 'Its path is outside of /v1, so it cannot be sent from here.'
  return whyNoBody(request)
}

/** The buttons that resend it, unchanged or with another body. */
export function SendAgain({ view, request }: { view: View; request: RequestExplained }) {
  const why = whyNotAgain(request)
  if (why !== undefined) return <p class="soft">{why}</p>
  const first = repeats(request)
  const body = laidOutText(request.request.body)
  const buttons = (request.key === null ? ['same'] : ['same', 'new']).map((choice) => (
    <button class="knob" type="submit" name="key" value={choice}>
      <Icon name="play" size={16} />
      Send again{request.key !== null && `, ${choice} key`}
    </button>
  ))
  return (
    <form class="editor" method="post" action={`${view.links.any(request.id)}/again`}>
      <Hidden view={view} />
      {writes(request.method) && (
        <details>
          <summary>Change the body</summary>
          <Field name="body" label="Body" rows={Math.min(24, body.split('\n').length + 2)} value={body} />
        </details>
      )}
      <div class="wrap">{buttons}</div>
      {first !== undefined && (
        <p>
          It repeats <a href={view.links.any(first)}>{first}</a>.
        </p>
      )}
    </form>
  )
}

async function send(asked: PageRequest): Promise<Reply> {
  const { c, control, view, dashboard } = asked
  const form = await dashboard.sessions.formOf(c)
  if ('to' in form) return form
  const found = findRequest(c, control)
  const why = whyNotAgain(found)
  const id = why === undefined ? await sendAgain(asked, found, form.fields) : undefined
  if (id !== undefined) return { to: view.links.any(id) }
  const text = why ?? 'It was sent, but the journal no longer has it.'
  dashboard.sessions.keepNotice(form.session, { tone: 'plain', text })
  return { to: view.links.any(found.id) }
}

export const sendForm: PageRoute = { ...routeTo('/requests/:id/again', send), method: 'POST' }

/**
 * How long to wait for the response. After that, the request is shown in flight: a behavior may hold it at a gate, or delay it on
 * the sandbox's clock.
 */
const PATIENCE_MS = 1000

/** The id of the new request; undefined if the journal does not have it. */
async function sendAgain(
  { control, view, dashboard }: PageRequest,
  { id: first, method, target, request }: RequestExplained,
  fields: Fields,
): Promise<string | undefined> {
  const [latest] = control.requests({ limit: 1 })
  const url = new URL(target, view.base)
  // The form has the body with another layout: unless it was changed, the same bytes are sent.
  const isChanged = fields.body !== undefined && fields.body !== laidOutText(request.body)
  const body = isChanged ? fields.body! : request.body
  const sent = new Request(url, {
    method,
    headers: {
      ...request.headers,
      ...(fields.key === 'new' && { 'idempotency-key': uniqueName('again-') }),
      'user-agent': SENT_AGAIN + first,
      // The journal does not have the API key.
      'x-api-key': control.apiKey,
    },
    // As bytes: a string would be sent as text/plain if the request had no type.
    ...(writes(method) && body !== '' && { body: Buffer.from(body) }),
  })
  // A fault may break the connection; the journal then has the request's outcome.
  const answered = dashboard
    .platformSide(view.environment, sent)
    .then(async ({ headers, body }) => {
      await body?.cancel()
      return headers.get('x-sim-request') ?? undefined
    })
    .catch(() => undefined)
  const id = await within(PATIENCE_MS, answered, undefined)
  if (id !== undefined) return id
  const later = control.requests({ ...(latest && { since: latest.id }) })
  return later.find((entry) => entry.method === method && entry.target === url.pathname + url.search)?.id
}
