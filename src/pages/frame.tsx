/** The frame around every page: the document, and the headers that keep anything foreign out of it. */
import type { Child } from 'hono/jsx'
import { type Asset, favicon, stylesheet } from './assets.ts'

/** `more`: what a page adds to the styles that all pages share, and the script of a page that is live. */
export type FrameProps = { title: string; more?: { styles: Asset; script: Asset }; children?: Child }

export function Frame({ title, more, children }: FrameProps) {
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
        <a class="skip" href="#main">
          Skip to content
        </a>
        {children}
      </body>
    </html>
  )
}

/** JSX knows no doctype, and without one a browser lays the page out by the rules of the last century. */
export function renderPage(page: { toString(): string }): string {
  return `<!doctype html>${page}`
}

/**
 * `formTargets`: where else a form may end. Browsers hold every redirect that follows it against `form-action`.
 * `more`: what a page allows itself besides.
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
