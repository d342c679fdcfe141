/** Verbs about webhook endpoints and deliveries. */

import { z } from 'zod'
import { ListenerSettings, WebhookSettings } from '../../spec/options/sandbox.ts'
import { deliveries, redeliver, redeliverFailed } from './history.ts'
import { type DeliveryFilter, deliveryFields } from './inputs.ts'
import { Delivery, WebhookEndpoint } from './shapes.ts'
import { verb } from './steered.ts'
import { keepListener, putEndpoint, readEndpoint, removeEndpoint } from './webhook.ts'

export const WEBHOOK_VERBS = {
  /** Where the events are delivered. */
  webhook: {
    get: verb<() => WebhookEndpoint | null>()('GET /webhook', {
      summary: 'Where the events are delivered; null for nowhere',
      answer: WebhookEndpoint.nullable(),
      does: ({ internals }) => readEndpoint(internals),
    }),
    put: verb<(settings: WebhookSettings) => WebhookEndpoint>()('PUT /webhook', {
      summary: 'Set the webhook endpoint',
      more: 'Without `secret` the secret stays. With `overlap` the old secret signs too, for that long. Without `events` all events are delivered',
      body: WebhookSettings.meta({ id: 'NewWebhookEndpoint' }),
      answer: WebhookEndpoint,
      does: ({ internals }, settings) => putEndpoint(internals, settings),
    }),
    remove: verb<() => void>()('DELETE /webhook', {
      summary: 'Remove the endpoint: nothing is delivered',
      does: ({ internals }) => removeEndpoint(internals),
    }),
    listen: verb<(listener: string, settings: ListenerSettings) => WebhookEndpoint>()(
      'PUT /webhook/listeners/{name}',
      {
        summary: 'Deliver the events to a listener until its lease expires; call again to renew it',
        more: 'They go there instead of the endpoint, until it leaves or its lease is over. Of several listeners the latest gets them. To set an endpoint ends all of them',
        body: ListenerSettings.meta({ id: 'NewListener' }),
        answer: WebhookEndpoint,
        refusals: [409],
        does: ({ internals }, name, settings) => keepListener(internals, name, settings),
      },
    ),
    leave: verb<(listener: string) => void>()('DELETE /webhook/listeners/{name}', {
      summary: 'The listener before it, or the endpoint, has the events again',
      does: ({ internals }, name) => internals.webhooks.listeners.leave(name),
    }),
  },
  deliveries: verb<(filter?: DeliveryFilter) => Delivery[]>()('GET /deliveries', {
    id: 'deliveries.list',
    answers: 'page',
    summary: 'List the deliveries, with every attempt that was made',
    query: z.object(deliveryFields),
    answer: Delivery,
    does: ({ internals }, filter = {}) => deliveries(internals, filter),
  }),
  redeliver: verb<(deliveryId: string) => Delivery>()('POST /deliveries/{id}/redeliver', {
    id: 'deliveries.redeliver',
    summary: 'Deliver the same event once more',
    more: 'The new delivery is due at once',
    status: 201,
    answer: Delivery,
    refusals: [404, 409],
    does: ({ internals }, id) => redeliver(internals, id),
  }),
  redeliverFailed: verb<() => Delivery[]>()('POST /deliveries/redeliver', {
    id: 'deliveries.redeliverFailed',
    args: [],
    answers: 'list',
    summary: 'Deliver every event whose latest attempt failed again',
    more: 'An event that was given up gets a new delivery; for one that is still tried, the next attempt comes now',
    status: 201,
    answer: Delivery,
    refusals: [409],
    does: ({ internals }) => redeliverFailed(internals),
  }),
}
