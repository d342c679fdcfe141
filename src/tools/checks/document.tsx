/**
 * The frame of a report: one HTML file without scripts or files from elsewhere, so that it can be attached to
 * a ticket.
 */
import { raw } from 'hono/html'
import type { Child } from 'hono/jsx'
import { favicon, stylesheet } from '../../pages/assets.ts'
import { dashboardStylesheet } from '../../pages/dashboard/assets.ts'
import { TimeCell } from '../../pages/dashboard/blocks.tsx'
import reportStyles from './report.css?text'

const STYLES = [stylesheet.body, dashboardStylesheet.body, reportStyles].join('\n')

interface DocumentProps {
  title: string
  /** The command that wrote it. */
  command: string
  /** When it began. */
  at: string | undefined
  children?: Child
}

export function ReportDocument({ title, command, at, children }: DocumentProps) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>
          {title} · {command}
        </title>
        <link rel="icon" href={`data:image/svg+xml,${encodeURIComponent(favicon.body)}`} />
        <style>{raw(STYLES)}</style>
      </head>
      <body>
        <main class="report" id="main">
          <header>
            <h1>{title}</h1>
            <p class="soft">
              {command}
              {at !== undefined && (
                <>
                  , <TimeCell at={at} date /> UTC
                </>
              )}
            </p>
          </header>
          {children}
        </main>
      </body>
    </html>
  )
}
