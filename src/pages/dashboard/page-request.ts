/** A request for a page of the dashboard, and its reply. */
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { Browse } from '../../tester/control/browse.ts'
import type { SandboxControl } from '../../tester/control/control.ts'
import type { Dashboard, View } from './view.ts'

/** From a logged-in browser, with the sandbox in its address. */
export interface PageRequest {
  c: Context
  control: SandboxControl
  browse: Browse
  view: View
  dashboard: Dashboard
}

/** A page, a redirect, or a response that is neither, such as a stream. */
export type Reply = { page: unknown; status?: ContentfulStatusCode } | { to: string } | Response

export interface PageRoute {
  method: 'GET' | 'POST'
  path: string
  reply(request: PageRequest): Reply | Promise<Reply>
}

export const routeTo = (path: string, reply: PageRoute['reply']): PageRoute => ({
  method: 'GET',
  path,
  reply,
})

/** How many rows a list has. */
export const ROWS_SHOWN = 50

/** The value of a name in the path. */
export const inPath = (c: Context, name: string): string => c.req.param(name) ?? ''

/** The non-empty parameters: a form sends empty fields too. */
export const chosenOf = (c: Context, names: readonly string[]): Partial<Record<string, string>> =>
  Object.fromEntries(names.flatMap((name) => (c.req.query(name) ? [[name, c.req.query(name)]] : [])))
