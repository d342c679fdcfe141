/** Verbs about webhook endpoints and deliveries. `/v1` has no operation for an endpoint. */

import { z } from 'zod'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import type { Endpoint } from '../../service/webhooks/webhooks.ts'
import { listenerDismissed } from '../../spec/contract/errors.ts'
import { readOptions } from '../../spec/options/read.ts'
import { ListenerSettings, WebhookSettings } from '../../spec/options/sandbox.ts'
import { deliveries, redeliver, redeliverFailed } from './history.ts'
import { DeliveryFilter } from './inputs.ts'
import { runUnit } from './run-unit.ts'
import { Delivery, WebhookEndpoint } from './shapes.ts'
import { verb } from './steered.ts'

export const secretOf = ({ webhooks, config }: Sandbox): string =>
  webhooks.endpoint?.secret ?? config.signingSecret

export const shownEndpoint = (endpoint: Endpoint | null) =>
  endpoint && { ...endpoint, previous: endpoint.previous ?? null, events: [...endpoint.events] }

function readEndpoint({ webhooks }: Sandbox): WebhookEndpoint | null {
  const endpoint = shownEndpoint(webhooks.endpoint ?? null)
  return endpoint && z.encode(WebhookEndpoint, endpoint)
}

function putEndpoint(internals: Sandbox, settings: WebhookSettings): WebhookEndpoint {
  const { webhooks } = internals
  const before = secretOf(internals)
  const { url, secret = before, events, overlap } = readOptions(WebhookSettings, settings)
  webhooks.listeners.dismissAll()
  runUnit(internals, ({ now }) => {
    const isNew = secret !== before
    const changing = overlap === undefined ? null : { secret: before, until: now + overlap }
    const previous = isNew ? changing : (webhooks.endpoint?.previous ?? null)
    webhooks.setEndpoint({ url, secret, previous, events, disabledAt: null })
  })
  return readEndpoint(internals)!
}

function removeEndpoint(internals: Sandbox): void {
  internals.webhooks.listeners.dismissAll()
  runUnit(internals, () => internals.webhooks.setEndpoint(undefined))
}

function keepListener(internals: Sandbox, name: string, settings: ListenerSettings): WebhookEndpoint {
  const { lease, ...listener } = readOptions(ListenerSettings, settings)
  if (!internals.webhooks.listeners.keep(name, { ...listener, forMs: lease })) throw listenerDismissed()
  // The new listener itself, not the latest one, because a very short lease may be over already.
  const endpoint = { ...listener, secret: secretOf(internals), previous: null, disabledAt: null }
  return readEndpoint(internals) ?? z.encode(WebhookEndpoint, { ...endpoint, events: [...endpoint.events] })
}

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
    query: DeliveryFilter,
    answer: Delivery,
    does: ({ internals }, filter = {}) => deliveries(internals, filter),
  }),
  redeliver: verb<(deliveryId: string) => Delivery>()('POST /deliveries/{id}/redeliver', {
    id: 'deliveries.redeliver',
    summary: 'Deliver the same event once more',
    more: 'The new delivery is due immediately',
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
