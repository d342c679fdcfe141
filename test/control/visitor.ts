/** A dashboard visitor without a browser: keeps its cookie, fills in forms, and follows redirects. */
import type { Simulator } from '../../src/index.ts'
import { openShop } from './shop.ts'

const ORIGIN = 'http://paysim.test'

export interface Seen {
  status: number
  /** Path and query of the last page, after all redirects. */
  path: string
  html: string
  /** The page's text without tags, with whitespace collapsed. */
  text: string
}

export function visitor({ fetch }: Pick<Simulator, 'fetch'>) {
  let cookie = ''

  async function ask(path: string, init: RequestInit = {}): Promise<Seen> {
    const answer = await fetch(new Request(ORIGIN + path, { ...init, headers: { cookie } }))
    cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? cookie
    const location = answer.headers.get('location')
    if (location !== null) return ask(location)
    const html = await answer.text()
    return { status: answer.status, path, html, text: textOf(html) }
  }

  /** Sends a form with the token of a page that was read before. */
  async function send(path: string, fields: Record<string, string> = {}): Promise<Seen> {
    const { html } = await ask('/_sim/ui/ledger')
    const token = /name="token" value="([^"]+)"/.exec(html)?.[1] ?? ''
    return ask(path, { method: 'POST', body: new URLSearchParams({ token, ...fields }) })
  }

  return { open: (path: string) => ask(path), send }
}

/** A shop and a visitor of its dashboard. */
export function openVisited(...options: Parameters<typeof openShop>) {
  const shop = openShop(...options)
  return { ...shop, ...visitor(shop.simulator) }
}

const textOf = (html: string): string =>
  html
    .replace(/<(script|style)[\s\S]*?<\/\1>/g, '')
    .replace(/<wbr\/?>|<[^>]*>(?=,)/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ')
