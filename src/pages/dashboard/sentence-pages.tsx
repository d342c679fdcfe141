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

/** The page of a refusal has the navigation of its sandbox, such as for a request that the journal has lost. */
export async function orRefused(view: View, reply: () => Reply | Promise<Reply>): Promise<Reply> {
  try {
    return await reply()
  } catch (cause) {
    if (!(cause instanceof ApiError)) throw cause
    const { status, message } = cause
    const page = (
      <DashboardFrame view={view} title={titleOf(cause)}>
        <Notice>
          <p>
            {asSentence(message)}
            {status === 404 && ' The address is wrong, or a reset or an older snapshot removed it.'}
          </p>
        </Notice>
      </DashboardFrame>
    )
    return { page, status: status as ContentfulStatusCode }
  }
}

const titleOf = ({ status }: ApiError) => (status === 404 ? 'Not found' : 'Request refused')

/** For a request without a sandbox, or with an unknown one. */
export function refused(c: Context, cause: ApiError) {
  const { status, message, headers } = cause
  const page = sentencePage(titleOf(cause), asSentence(message))
  return sendPage(c, page, status as ContentfulStatusCode, headers)
}

export const bugPage = (c: Context) =>
  sendPage(
    c,
    sentencePage('Something went wrong on our side', 'This is a bug of paysim. Its log has the details.'),
    500,
  )
