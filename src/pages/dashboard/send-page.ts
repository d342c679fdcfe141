/** Sends a page of the dashboard. */
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { pageHeaders, renderPage, SCRIPT } from '../frame.tsx'

export const HEADERS = pageHeaders([], SCRIPT)

export const sendPage = (
  c: Context,
  page: unknown,
  status: ContentfulStatusCode = 200,
  more: Readonly<Record<string, string>> = {},
) => c.body(renderPage(page as string), status, { ...HEADERS, ...more })
