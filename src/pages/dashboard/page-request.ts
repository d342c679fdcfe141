/** A request for a page of the dashboard, its reply, and how a page's file defines both. */
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { SandboxControl } from '../../tester/control/control.ts'
import type { Dashboard } from './dashboard-parts.ts'
import type { DashboardPage, View } from './view.ts'

/** From a logged-in browser, with the sandbox in its address. */
export interface PageRequest {
  c: Context
  control: SandboxControl
  view: View
  dashboard: Dashboard
  /** Returns the result of the last form, and forgets it, because only one page shows it. */
  takeNotice(): View['notice']
}

/** A redirect, or a response that is not a page, such as a file. */
export type Elsewhere = { to: string } | Response

export type Reply = { page: unknown; status?: ContentfulStatusCode } | Elsewhere

export interface PageRoute<Typed = never> {
  method: 'GET' | 'POST'
  path: string
  /** `typed`: a form's inputs, which its page shows again with the mistake. */
  reply(request: PageRequest, typed?: Typed): Reply | Promise<Reply>
}

/** The navigation highlights the entry that the path starts with, or that the page names. */
type Place =
  | { path: '' | `/${DashboardPage}` | `/${DashboardPage}/${string}`; here?: undefined }
  | { path: string; here: DashboardPage }

/**
 * Defines a page in one file: its address, the data that it reads, and how it shows them. `load` may redirect instead. A `status`
 * among the data becomes the response's: 400 if there is a mistake.
 */
export const pageRoute = <Data, Typed = never>(
  file: Place & {
    load(request: PageRequest, typed?: Typed): Data | Promise<Data>
    view(view: View, data: Exclude<Data, Elsewhere>): unknown
  },
): PageRoute<Typed> => ({
  method: 'GET',
  path: file.path,
  async reply(request, typed) {
    const data = await file.load(request, typed)
    if (isElsewhere(data)) return data
    const { status = 200 } = data as { status?: ContentfulStatusCode }
    const here = file.here ?? ((file.path.split('/')[1] ?? '') as DashboardPage)
    const view = { ...request.view, here, notice: request.takeNotice() }
    return { page: file.view(view, data as Exclude<Data, Elsewhere>), status }
  },
})

const isElsewhere = (data: unknown): data is Elsewhere =>
  data instanceof Response || (data as { to?: unknown }).to !== undefined

/** An address that redirects, or serves a file. */
export const routeTo = (path: string, reply: PageRoute['reply']): PageRoute => ({
  method: 'GET',
  path,
  reply,
})

/** How many rows a list has. */
export const ROWS_SHOWN = 50
/** The row count of a list on a page with other lists. */
export const FEW_ROWS_SHOWN = 20

/** The value of a name in the path. */
export const inPath = (c: Context, name: string): string => c.req.param(name) ?? ''

/** The non-empty parameters: a form sends empty fields too. */
export const chosenOf = <Name extends string>(
  c: Context,
  names: readonly Name[],
): Partial<Record<Name, string>> & Record<string, string> => {
  const chosen = names.flatMap((name) => {
    const value = c.req.query(name)
    return value ? [[name, value] as const] : []
  })
  return Object.fromEntries(chosen) as Partial<Record<Name, string>> & Record<string, string>
}
