/** Sends a page of the dashboard. */
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { pageHeaders, renderPage } from '../frame.tsx'

/** The script comes from our own origin, and its stream too. */
export const HEADERS = pageHeaders([], ["script-src 'self'", "connect-src 'self'"])

export const sendPage = (
  c: Context,
  page: unknown,
  status: ContentfulStatusCode = 200,
  more: Readonly<Record<string, string>> = {},
) => c.body(renderPage(page as string), status, { ...HEADERS, ...more })
