/** Verbs about what the platform sent: the journal, and the verdicts on it. */

import { z } from 'zod'
import { RequestExpectation } from '../../sandbox/scenario-file/requests.ts'
import { notFound } from '../../spec/contract/errors.ts'
import { idOf, latestPage, pageOf } from '../../spec/contract/pages.ts'
import { translationOf } from '../../spec/contract/translation.ts'
import { oneOf } from '../../spec/contract/wire.ts'
import type { AuditOptions } from '../../spec/options/sandbox.ts'
import { Audit } from '../audit/judge.ts'
import { Story } from '../story/story.ts'
import { explain, explanationText, journalText } from './explain.ts'
import { AuditAsked, type WaitOptions } from './inputs.ts'
import { type RequestFilter, requestParameters } from './request-filter.ts'
import { findEntry, pickRequests } from './requests.ts'
import { historyParameters, RawAnswer } from './route.ts'
import { RequestExplained, RequestSummary } from './shapes.ts'
import { adapted, methodOnly, type Steered, verb, WaitingText } from './steered.ts'
import { atOnce } from './turns.ts'
import { VerifiedRequests, verify } from './verify.ts'

const PLAIN = 'text/plain; charset=utf-8'

const TextOrJson = oneOf(['json', 'text']).default('json').meta({ description: 'text for a terminal' })

const explainRequest = ({ internals }: Steered, id: string) =>
  explain(internals, findEntry(internals.journal, id))

const textExplaining = (steered: Steered, id?: string) =>
  id === undefined ? journalText(steered.internals) : explanationText(explainRequest(steered, id))

function known(story: Story | undefined): Story {
  if (!story) throw notFound('Order, resource or key')
  return story
}

export const JOURNAL_VERBS = {
  requests: adapted<(filter?: RequestFilter) => RequestSummary[]>()('GET /requests', {
    id: 'requests.list',
    answers: 'page',
    summary: 'List the requests that came under /v1, answered or not',
    query: z.strictObject({
      ...requestParameters,
      format: TextOrJson,
      ...historyParameters,
    }),
    answer: pageOf(RequestSummary),
    gives: [PLAIN],
    does: ({ internals }, filter = {}) => pickRequests(internals.journal, filter),
    run: (steered, { query: { limit, cursor, format, ...filter } }) =>
      format === 'text'
        ? new RawAnswer(PLAIN, `${textExplaining(steered)}\n`)
        : latestPage(
            { limit, cursor },
            (window) => pickRequests(steered.internals.journal, { ...filter, ...window }),
            idOf,
          ),
  }),
  request: adapted<(id: string) => RequestExplained>()('GET /requests/{id}', {
    id: 'requests.explain',
    summary: 'One request explained: the steps it passed, which one answered and why, and what followed',
    more: 'It also says what the request changed',
    query: z.strictObject({ format: TextOrJson }),
    answer: RequestExplained,
    gives: [PLAIN],
    refusals: [404],
    does: explainRequest,
    run: (steered, { params, query }) =>
      query.format === 'text'
        ? new RawAnswer(PLAIN, `${textExplaining(steered, params.id!)}\n`)
        : explainRequest(steered, params.id!),
  }),
  explain: methodOnly<(id?: string) => string>()('GET /requests/{id?}', {
    always: { query: { format: 'text' } },
    read: 'text',
    summary: 'A request explained as text for a terminal',
    more: 'Without an id: every request in a line, and the refused ones in full',
    does: textExplaining,
  }),
  verify: verb<(expectation?: RequestExpectation, options?: WaitOptions) => Promise<VerifiedRequests>>()(
    'POST /verify',
    {
      args: ['body', 'query'],
      summary: 'Count the requests that are as expected; a miss shows the nearest ones and how they differ',
      more: 'At least one must match, unless `count` says otherwise. Without an expectation every request counts. Resolves as soon as enough match, and is refused after `within`',
      query: WaitingText,
      body: RequestExpectation,
      answer: VerifiedRequests,
      refusals: [424],
      does: ({ internals: { journal, contract } }, expectation = {}, options = {}) =>
        verify(journal, expectation, options, translationOf(contract)),
    },
  ),
  audit: adapted<(options?: AuditOptions) => Audit>()('GET /audit', {
    summary: 'What the client did that would break in production, and which kinds of trouble it met',
    more: '`ignore` silences rules',
    query: AuditAsked,
    answer: Audit,
    does: ({ audit }, asked = {}) => atOnce(audit.under(asked)),
    run: ({ browse }, { query }) => browse.audit(query as AuditOptions),
  }),
  story: adapted<(about: string) => Story>()('GET /stories/{about}', {
    id: 'stories.get',
    summary:
      'What happened to an order, a checkout or under an Idempotency-Key, in sentences, the worst first',
    more: '`worst` says the worst in a few words, such as `refunded twice`. `about` is the name of the order, the id of anything that belongs to it, or the key',
    answer: Story,
    refusals: [404],
    does: ({ audit }, about) => known(atOnce(audit.story(about))),
    run: async ({ browse }, { params }) => known(await browse.story(params.about!)),
  }),
  clearRequests: verb<() => void>()('DELETE /requests', {
    id: 'requests.clear',
    summary: 'Empty the journal',
    does: ({ internals }) => internals.clearJournal(),
  }),
}
