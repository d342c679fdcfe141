/** The buyer of a scenario: uses the hosted page over HTTP as a browser does, with its cookies, forms and redirects. */
import { partDifferences } from '../../sandbox/scenario-file/comparison.ts'
import type { MatchDifference } from '../../sandbox/scenario-file/matcher.ts'
import type { StepOf } from '../../sandbox/scenario-file/step.ts'
import { isObject } from '../../spec/contract/parsed-json.ts'
import { didYouMean } from '../../spec/contract/suggest.ts'
import { SANDBOX_ADDRESSES } from '../../tester/control/addresses.ts'
import { checkResponse } from './checks.ts'
import type { Control } from './control.ts'
import { type PageContent, type PageForm, readPage } from './hosted-page.ts'
import { exchange, type PlayedExchange, type Sent } from './wire.ts'

/** Far more redirects than the page needs: stops an endless loop. */
const REDIRECTS_MAX = 10
const TIMEOUT_MS = 30_000

const meant = (name: string, known: readonly string[]) =>
  didYouMean(name, known) || `; it has ${known.join(', ') || 'none'}.`

/** The problems on a rejected form often explain why the next action is missing from the page. */
const missingOn = ({ heading, problems }: PageContent, what: string) =>
  new Error(
    `The page “${heading}” ${problems.map((problem) => `says “${problem}” and `).join('')}has no ${what}`,
  )

/** The page as the buyer sees it. */
interface SeenPage extends PageContent {
  exchange: PlayedExchange
  /** The other site that the buyer was redirected to; it is not loaded. */
  url: string | undefined
}

export type Buyer = Awaited<ReturnType<typeof openBuyer>>

export async function openBuyer(base: URL, control: Control, checkoutId: string) {
  const { json: found } = await control.must(SANDBOX_ADDRESSES.resource, checkoutId)
  const { checkoutUrl } = isObject(found.resource) ? found.resource : found
  if (typeof checkoutUrl !== 'string') throw new Error(`${checkoutId} is not a checkout, so it has no page.`)
  const { pathname: first } = new URL(checkoutUrl, base)
  const cookies = new Map<string, string>()
  let page: SeenPage | undefined

  async function see(): Promise<SeenPage> {
    page ??= await go('GET', first)
    return page
  }

  async function act(action: NonNullable<StepOf<'buyer'>['actions']>[number]): Promise<void> {
    if ('open' in action) page = await go('GET', first)
    else page = await ('fill' in action ? fill(await see(), action.fill) : press(await see(), action.press))
  }

  function fill(page: SeenPage, typed: Readonly<Record<string, string | number>>): Promise<SeenPage> {
    const names = Object.keys(typed)
    const form = page.forms.find(({ fields }) => names.every((name) => fields.includes(name)))
    if (form) return send(form, typed)
    const known = page.forms.flatMap(({ fields }) => fields)
    const missing = names.find((name) => !known.includes(name)) ?? names.join(', ')
    throw missingOn(page, `form with the field ${missing}${meant(missing, known)}`)
  }

  function press(page: SeenPage, text: string): Promise<SeenPage> {
    const form = page.forms.find(({ buttons }) => buttons.some((button) => button.startsWith(text)))
    if (form) return send(form, {})
    const link = page.links.find((candidate) => candidate.text.startsWith(text))
    if (link) return go('GET', link.href)
    const known = [...page.forms.flatMap(({ buttons }) => buttons), ...page.links.map((link) => link.text)]
    throw missingOn(page, `button and no link “${text}”${meant(text, known.filter(Boolean))}`)
  }

  function send(form: PageForm, typed: Readonly<Record<string, string | number>>): Promise<SeenPage> {
    const fields = new URLSearchParams({
      ...form.values,
      ...Object.fromEntries(Object.entries(typed).map(([name, value]) => [name, String(value)])),
    })
    return form.method === 'GET'
      ? go('GET', `${form.action}?${fields}`)
      : go(form.method, form.action, fields.toString())
  }

  async function go(method: string, address: string, form?: string): Promise<SeenPage> {
    let next: Sent = requestOf(method, address, form)
    for (let redirects = 0; ; redirects += 1) {
      const url = new URL(next.target, base)
      const received = await exchange(base, next, { timeoutMs: TIMEOUT_MS })
      const { status = 0, headers = {}, body = '' } = received.answered ?? {}
      keepCookies(headers['set-cookie'])
      const { location } = headers
      const isRedirect = status >= 300 && status < 400
      if (!isRedirect || location === undefined || redirects === REDIRECTS_MAX) {
        return { ...readPage(body), exchange: received, url: undefined }
      }
      const target = new URL(location, url)
      if (target.host !== url.host) return { ...readPage(''), exchange: received, url: location }
      next = requestOf('GET', target.pathname + target.search)
    }
  }

  function requestOf(method: string, address: string, form?: string): Sent {
    const here = new URL(page?.exchange.asked.target ?? first, base)
    const { pathname, search } = new URL(address, here)
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    return {
      method,
      target: pathname + search,
      headers: {
        accept: 'text/html',
        ...(cookie !== '' && { cookie }),
        ...(form !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      body: form,
    }
  }

  /** Splits the header only at commas that precede another cookie's name: cookie values contain no commas, but dates do. */
  function keepCookies(header = ''): void {
    for (const cookie of header.split(/,(?=\s*[\w-]+=)/)) {
      const [, name, value] = /^\s*([\w-]+)=([^;]*)/.exec(cookie) ?? []
      if (name !== undefined && value !== undefined) cookies.set(name, value)
    }
  }

  return { see, act }
}

/**
 * Compares what the buyer sees with what a step expects. Unless the step expects a status, the response must be a page or a
 * redirect to another site.
 */
export function checkPage(
  { status, heading, text, fields, url }: NonNullable<StepOf<'buyer'>['expect']>,
  page: SeenPage,
): MatchDifference[] {
  const isStatusChecked = status !== undefined || page.url === undefined
  return [
    ...(isStatusChecked ? checkResponse({ status }, page.exchange, new Map()) : []),
    ...partDifferences('heading', heading, page.heading),
    ...[text ?? []].flat().flatMap((part) => partDifferences('text', { contains: part }, page.text)),
    ...partDifferences(
      'fields',
      fields,
      page.forms.flatMap((form) => form.fields),
    ),
    ...partDifferences('url', url, page.url),
  ]
}
