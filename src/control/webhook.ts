/** Where a sandbox's events are delivered. Only this side can say so; a platform cannot. */
import { z } from 'zod'
import { SANDBOX_OPTIONS } from '../config.ts'
import { act, type Inside } from './inside.ts'
import { WebhookEndpoint } from './shapes.ts'

/** The secret stays what it is, and all events are delivered, unless it is said otherwise. */
export interface WebhookSettings {
  url: string
  secret?: string | undefined
  events?: readonly string[] | undefined
}

export interface WebhookControl {
  get(): WebhookEndpoint | null
  put(settings: WebhookSettings): WebhookEndpoint
  remove(): void
}

export const secretOf = ({ webhooks, config }: Inside): string =>
  webhooks.endpoint?.secret ?? config.signingSecret

export const endpointOf = ({ endpoint }: Inside['webhooks']) =>
  endpoint ? { ...endpoint, events: [...endpoint.events] } : null

export function webhookControl(inside: Inside): WebhookControl {
  const { webhooks } = inside
  const get = () => {
    const endpoint = endpointOf(webhooks)
    return endpoint && z.encode(WebhookEndpoint, endpoint)
  }
  return {
    get,
    put({ url, secret = secretOf(inside), events = ['*'] }) {
      const endpoint = {
        url: SANDBOX_OPTIONS.webhookUrl.read(url, 'url')!,
        secret: SANDBOX_OPTIONS.signingSecret.read(secret, 'secret'),
        events: SANDBOX_OPTIONS.webhookEvents.read(events, 'events'),
        disabledAt: null,
      }
      act(inside, () => webhooks.setEndpoint(endpoint))
      return get()!
    },
    remove() {
      act(inside, () => webhooks.setEndpoint(undefined))
    },
  }
}
