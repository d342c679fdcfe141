/** The pages with only a sentence: refused, not found, or failed. */
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { ApiError } from '../../spec/contract/errors.ts'
import { asSentence } from '../../spec/contract/suggest.ts'
import { Lead, Notice } from '../blocks.tsx'
import { Frame, sendPage } from '../frame.tsx'
import { DashboardFrame } from './frame.tsx'
import { UI } from './links.ts'
import type { Reply } from './page-request.ts'
import type { View } from './view.ts'

const sentencePage = (title: string, sentence: string) => (
  <Frame title={`${title} · paysim`}>
    <main class="alone" id="main">
      <Lead title={title} />
      <Notice>
        <p>{sentence}</p>
      </Notice>
      <a class="knob main wide" href={UI}>
        To the dashboard
      </a>
    </main>
  </Frame>
)

/** A page for something that does not exist, such as a request that the journal has lost, with its sandbox's navigation. */
export async function orNotFound(view: View, reply: () => Reply | Promise<Reply>): Promise<Reply> {
  try {
    return await reply()
  } catch (cause) {
    if (!(cause instanceof ApiError) || cause.status !== 404) throw cause
    const page = (
      <DashboardFrame view={view} title="Not found">
        <Notice>
          <p>{asSentence(cause.message)} The address is wrong, or a reset or an older snapshot removed it.</p>
        </Notice>
      </DashboardFrame>
    )
    return { page, status: 404 }
  }
}

export const refused = (c: Context, { status, message, headers }: ApiError) =>
  sendPage(
    c,
    sentencePage(status === 404 ? 'Not found' : 'Request refused', asSentence(message)),
    status as ContentfulStatusCode,
    headers,
  )

export const unknownPage = (c: Context) =>
  sendPage(c, sentencePage('Page not found', 'The link is wrong, or its target was removed.'), 404)

export const bugPage = (c: Context) =>
  sendPage(
    c,
    sentencePage('Something went wrong on our side', 'This is a bug of paysim. Its log has the details.'),
    500,
  )
