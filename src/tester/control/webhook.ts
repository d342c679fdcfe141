/** Where a sandbox's events are delivered. `/v1` has no operation for it. */

import { z } from 'zod'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import type { Endpoint } from '../../service/webhooks/webhooks.ts'
import { listenerDismissed } from '../../spec/contract/errors.ts'
import { readOptions } from '../../spec/options/read.ts'
import { ListenerSettings, WebhookSettings } from '../../spec/options/sandbox.ts'
import { runUnit } from './run-unit.ts'
import { WebhookEndpoint } from './shapes.ts'

export const secretOf = ({ webhooks, config }: Sandbox): string =>
  webhooks.endpoint?.secret ?? config.signingSecret

export const shownEndpoint = (endpoint: Endpoint | null) =>
  endpoint && { ...endpoint, previous: endpoint.previous ?? null, events: [...endpoint.events] }

export function readEndpoint({ webhooks }: Sandbox): WebhookEndpoint | null {
  const endpoint = shownEndpoint(webhooks.endpoint ?? null)
  return endpoint && z.encode(WebhookEndpoint, endpoint)
}

export function putEndpoint(internals: Sandbox, settings: WebhookSettings): WebhookEndpoint {
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

export function removeEndpoint(internals: Sandbox): void {
  internals.webhooks.listeners.dismissAll()
  runUnit(internals, () => internals.webhooks.setEndpoint(undefined))
}

export function keepListener(internals: Sandbox, name: string, settings: ListenerSettings): WebhookEndpoint {
  const { lease, ...listener } = readOptions(ListenerSettings, settings)
  if (!internals.webhooks.listeners.keep(name, { ...listener, forMs: lease })) throw listenerDismissed()
  // The new listener itself, not the latest one, because a very short lease may be over already.
  const own = { ...listener, secret: secretOf(internals), previous: null, disabledAt: null }
  return readEndpoint(internals) ?? z.encode(WebhookEndpoint, { ...own, events: [...own.events] })
}
