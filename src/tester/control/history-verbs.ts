/** Verbs about the sandbox's content and history. */

import { z } from 'zod'
import type { OperationId } from '../../spec/contract/endpoints.ts'
import { Event } from '../../spec/contract/event.ts'
import { PAGE_DEFAULT_ROWS } from '../../spec/contract/limits.ts'
import { idOf, Limit, latestPage, pageEnd, pageOf } from '../../spec/contract/pages.ts'
import { dueWork } from './due.ts'
import { emit, events, ledger, movements, outbox, sums } from './history.ts'
import { DueWindow, EventFilter, type HistoryWindow, NewEvent } from './inputs.ts'
import { readParameters } from './read-input.ts'
import { findAnyResource, readOperation } from './resources.ts'
import { historyParameters, RawAnswer } from './route.ts'
import { runUnit } from './run-unit.ts'
import { DueWork, FoundResource, Ledger, Message } from './shapes.ts'
import { verb } from './steered.ts'

const JSON_TYPE = 'application/json'

export const HISTORY_VERBS = {
  due: verb<(window?: DueWindow) => DueWork[]>()('GET /due', {
    answers: 'list',
    summary: 'List pending work, the next due first',
    query: z.strictObject({ limit: Limit }),
    answer: DueWork,
    does: ({ internals }, window = {}) =>
      dueWork(internals, readParameters(DueWindow, window).limit ?? PAGE_DEFAULT_ROWS).due,
  }),
  resource: verb<(id: string) => FoundResource>()('GET /resources/{id}', {
    id: 'resources.get',
    summary: 'Read any resource by its id, without a key',
    more: 'It looks as under `/v1`',
    answer: FoundResource,
    refusals: [404],
    does: ({ internals }, id) => findAnyResource(internals, id),
  }),
  read: verb<(operation: OperationId, parameters?: Readonly<Record<string, string>>) => string>()(
    'GET /operations/{operation}',
    {
      id: 'operations.read',
      answers: 'text',
      summary:
        'Return what a GET under /v1 returns, such as checkouts.list, without a key or a journal entry',
      more: 'Gives the exact text of the body. `parameters` are those of the path and the query. No rate limit counts it',
      query: z.looseObject({}),
      gives: [JSON_TYPE],
      refusals: [404],
      does: ({ internals }, operation, parameters) => readOperation(internals, operation, parameters),
      run: ({ internals }, { params, query }) =>
        new RawAnswer(
          JSON_TYPE,
          readOperation(internals, params.operation as OperationId, query as Record<string, string>),
        ),
    },
  ),

  ledger: verb<(window?: HistoryWindow) => Ledger>()('GET /ledger', {
    answers: 'page',
    pages: 'movements',
    summary: 'The money that production would have moved, and the sums of all of it',
    query: z.strictObject(historyParameters),
    answer: Ledger.extend(pageEnd),
    does: ({ internals }, window = {}) => ledger(internals, window),
    run({ internals }, { query }) {
      const { data, ...end } = latestPage(
        query,
        (window) => movements(internals, window),
        ({ number }) => String(number),
      )
      return { sums: sums(internals), movements: data, ...end }
    },
  }),
  outbox: verb<(window?: HistoryWindow) => Message[]>()('GET /outbox', {
    id: 'outbox.list',
    answers: 'page',
    summary: 'The e-mails and SMS that were captured',
    more: 'Production would have sent them',
    answer: Message,
    does: ({ internals }, window = {}) => outbox(internals, window),
  }),
  clearOutbox: verb<() => void>()('DELETE /outbox', {
    id: 'outbox.clear',
    summary: 'Empty the outbox',
    does: ({ internals }) => runUnit(internals, ({ store }) => store.outbox.clear()),
  }),
  events: verb<(filter?: EventFilter) => Event[]>()('GET /events', {
    id: 'events.list',
    answers: 'page',
    summary: 'List the events',
    query: z.strictObject({ ...EventFilter.shape, ...historyParameters }),
    answer: pageOf(Event),
    does: ({ internals }, filter = {}) => events(internals, filter),
    run({ browse }, { query: { limit, cursor, ...filter } }) {
      const { data, ...end } = latestPage(
        { limit, cursor },
        // As sent: a profile has other words and fields than the schema in the document.
        (window) => browse.sentEvents({ ...filter, ...window }),
        idOf,
      )
      const events = data.map(({ body }) => body).join()
      return new RawAnswer(JSON_TYPE, `{"data":[${events}],${JSON.stringify(end).slice(1)}\n`)
    },
  }),
  emit: verb<(event: NewEvent) => Event>()('POST /events', {
    id: 'events.emit',
    summary: 'Create an event with the current resource, or with other data',
    body: NewEvent,
    status: 201,
    answer: Event,
    refusals: [404, 409],
    does: ({ internals }, event) => emit(internals, event),
    run({ internals, browse }, { body }) {
      emit(internals, body)
      const [emitted] = browse.sentEvents({ limit: 1 })
      return new RawAnswer(JSON_TYPE, `${emitted!.body}\n`)
    },
  }),
}
