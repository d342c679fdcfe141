/** A request for a page of the dashboard, and its reply. */
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { contractOf } from '../../spec/contract/contract.ts'
import type { SandboxControl } from '../../tester/control/control.ts'
import type { Dashboard } from './dashboard-parts.ts'
import type { DashboardPage, View } from './view.ts'

/** From a browser that is logged in, with the sandbox that its address names. */
export interface PageRequest {
  c: Context
  control: SandboxControl
  view: View
  dashboard: Dashboard
}

/** A page, or a redirect. */
export type Reply = { page: unknown; status?: ContentfulStatusCode } | { to: string } | Response

type ReplyTo = (request: PageRequest) => Reply | Promise<Reply>

/** With the entry of the navigation that a page highlights. */
export type PageRoute = readonly [method: 'GET' | 'POST', path: string, here: DashboardPage, reply: ReplyTo]

/** Defines a page in one file: its address, the data that it reads, and how it shows them. */
export const pageRoute = <Data>(file: {
  path: string
  here: DashboardPage
  load(request: PageRequest): Data | Promise<Data>
  view(view: View, data: Data): unknown
}): PageRoute => [
  'GET',
  file.path,
  file.here,
  async (request) => ({ page: file.view(request.view, await file.load(request)) }),
]

/** The address that was asked for, where the forms of its page lead back to. */
export const pathOf = (c: Context): string => c.req.path + new URL(c.req.url).search

/** How many rows a list has. */
export const ROWS_SHOWN = 50
/** How many rows a list has when it stands beside others. */
export const FEW_ROWS_SHOWN = 20

/** The value of a name in the path. */
export const inPath = (c: Context, name: string): string => c.req.param(name) ?? ''

/** The parameters that are not empty: a form sends empty fields too. */
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

export const contractUnder = (control: SandboxControl) => contractOf(control.describe().profile ?? undefined)
