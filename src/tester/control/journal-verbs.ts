/** Verbs about the platform's requests: the journal, and the verdicts on it. */

import { z } from 'zod'
import { RequestExpectation } from '../../sandbox/scenario-file/requests.ts'
import { notFound } from '../../spec/contract/errors.ts'
import { idKindOf } from '../../spec/contract/ids.ts'
import { idOf, latestPage, pageOf } from '../../spec/contract/pages.ts'
import { translationOf } from '../../spec/contract/translation.ts'
import { oneOf } from '../../spec/contract/wire.ts'
import type { AuditOptions } from '../../spec/options/sandbox.ts'
import { Audit } from '../audit/judge.ts'
import { Story } from '../story/story.ts'
import { storyText } from '../story/story-text.ts'
import { explain, explanationText, journalText } from './explain.ts'
import { AuditAsked, type WaitOptions } from './inputs.ts'
import { type RequestFilter, requestParameters } from './request-filter.ts'
import { findEntry, pickRequests } from './requests.ts'
import { historyParameters, RawAnswer } from './route.ts'
import { RequestExplained, RequestSummary } from './shapes.ts'
import { methodOnly, type Steered, verb, WaitingText } from './steered.ts'
import { VerifiedRequests, verify } from './verify.ts'

const PLAIN = 'text/plain; charset=utf-8'

const TextOrJson = oneOf(['json', 'text']).default('json').describe('text for a terminal')

const explainRequest = ({ internals }: Steered, id: string) =>
  explain(internals, findEntry(internals.journal, id))

const Explanation = Story.extend({
  text: z.string().describe('All of it for a terminal; of a request also its steps'),
}).meta({ id: 'Explanation', description: 'What happened to an order, or to a request' })

export type Explained = z.input<typeof Explanation>

function explanationOf(steered: Steered, about: string): Explained {
  const story = steered.browse.audit.story(about)
  if (!story) throw notFound(idKindOf(about) === 'request' ? 'Request' : 'Order, resource or key')
  const request = steered.internals.journal.find(about) && explanationText(explainRequest(steered, about))
  const texts = [request ?? [], request && story.resources.length === 0 ? [] : storyText(story)].flat()
  return { ...story, text: texts.join('\n\n') }
}

export const JOURNAL_VERBS = {
  requests: verb<(filter?: RequestFilter) => RequestSummary[]>()('GET /requests', {
    id: 'requests.list',
    answers: 'page',
    summary: 'List the requests under /v1, answered or not',
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
        ? new RawAnswer(PLAIN, `${journalText(steered.internals)}\n`)
        : latestPage(
            { limit, cursor },
            (window) => pickRequests(steered.internals.journal, { ...filter, ...window }),
            idOf,
          ),
  }),
  request: verb<(id: string) => RequestExplained>()('GET /requests/{id}', {
    id: 'requests.get',
    summary: 'Get one request: its steps, which one answered and why, what it changed, and its webhooks',
    answer: RequestExplained,
    refusals: [404],
    does: explainRequest,
  }),
  journal: methodOnly<() => string>()('GET /requests', {
    always: { query: { format: 'text' } },
    read: 'text',
    summary: 'The journal as text: one line per request, and the refused requests in full',
    does: ({ internals }) => journalText(internals),
  }),
  verify: verb<(expectation?: RequestExpectation, options?: WaitOptions) => Promise<VerifiedRequests>>()(
    'POST /verify',
    {
      args: ['body', 'query'],
      summary:
        'Count matching requests; if too few or too many match, the error shows the nearest ones and how they differ',
      more: 'At least one must match, unless `count` says otherwise. Without an expectation every request counts. Resolves as soon as enough match, and is refused after `within`',
      query: WaitingText,
      body: RequestExpectation,
      answer: VerifiedRequests,
      refusals: [424],
      does: ({ internals: { journal, contract } }, expectation = {}, options = {}) =>
        verify(journal, expectation, options, translationOf(contract)),
    },
  ),
  audit: verb<(options?: AuditOptions) => Audit>()('GET /audit', {
    summary: 'What the client did that would break in production, and which kinds of failure it met',
    more: '`ignore` silences rules',
    query: AuditAsked,
    answer: Audit,
    does: ({ browse }, asked = {}) => browse.audit.under(asked),
  }),
  explain: verb<(idOrOrder: string) => Explained>()('GET /explain/{idOrOrder}', {
    summary:
      'Explain an order, a request, any other id or an Idempotency-Key: what happened, the worst first',
    more: '`text` has all of it for a terminal; `worst` the worst in a few words, such as `refunded twice`',
    answer: Explanation,
    refusals: [404],
    does: explanationOf,
  }),
  clearRequests: verb<() => void>()('DELETE /requests', {
    id: 'requests.clear',
    summary: 'Empty the journal',
    does: ({ internals }) => internals.clearJournal(),
  }),
}
