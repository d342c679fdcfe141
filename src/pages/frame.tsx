/** The HTML document of every page, and its headers, which allow content from our own origin only. */
import type { Context } from 'hono'
import type { Child } from 'hono/jsx'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { favicon, stylesheet } from './assets.ts'

/**
 * `more`: a script, and a style sheet in addition to the styles of all pages. `content`: the id of the element to which the link
 * that skips navigation leads.
 */
type FrameProps = {
  title: string
  more?: Record<'styles' | 'script', { path: string }>
  content?: string
  children?: Child
}

export function Frame({ title, more, content = 'main', children }: FrameProps) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>{title}</title>
        <link rel="icon" href={favicon.path} type="image/svg+xml" />
        <link rel="stylesheet" href={stylesheet.path} />
        {more && <link rel="stylesheet" href={more.styles.path} />}
        {more && <script type="module" src={more.script.path} />}
      </head>
      <body>
        <a class="skip" href={`#${content}`}>
          Skip to content
        </a>
        {children}
      </body>
    </html>
  )
}

/** JSX has no doctype, and without one browsers lay out a page in quirks mode. */
export function renderPage(page: { toString(): string }): string {
  return `<!doctype html>${page}`
}

/**
 * `formTargets`: other origins that a form may lead to. Browsers check each redirect after a form against `form-action`. `more`:
 * further directives of the Content-Security-Policy.
 */
export function pageHeaders(formTargets: string[] = [], more: string[] = []): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self'",
    ["form-action 'self'", ...formTargets].join(' '),
    "frame-ancestors 'none'",
    "base-uri 'none'",
    ...more,
  ]
  return {
    'Content-Security-Policy': policy.join('; '),
    'Cache-Control': 'no-store',
    'Content-Type': 'text/html; charset=utf-8',
    'Referrer-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
  }
}

/** Of the dashboard. Its script comes from our own origin and sends requests only there. */
export const DASHBOARD_HEADERS = pageHeaders([], ["script-src 'self'", "connect-src 'self'"])

/** Sends a page of the dashboard. */
export const sendPage = (
  c: Context,
  page: unknown,
  status: ContentfulStatusCode = 200,
  more: Readonly<Record<string, string>> = {},
) => c.body(renderPage(page as string), status, { ...DASHBOARD_HEADERS, ...more })
