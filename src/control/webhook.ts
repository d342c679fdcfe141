/** Where a sandbox's events are delivered. `/v1` has no operation for it. */
import { z } from 'zod'
import { readOptions } from '../options/read.ts'
import { WebhookOptions } from '../options/sandbox.ts'
import { runUnit, type SandboxInternals } from './internals.ts'
import { WebhookEndpoint } from './shapes.ts'
import type { SandboxMethods } from './verbs.ts'

export const secretOf = ({ webhooks, config }: SandboxInternals): string =>
  webhooks.endpoint?.secret ?? config.signingSecret

export const endpointOf = ({ endpoint }: SandboxInternals['webhooks']) =>
  endpoint ? { ...endpoint, events: [...endpoint.events] } : null

export function webhookControl(internals: SandboxInternals): SandboxMethods['webhook'] {
  const { webhooks } = internals
  const get = () => {
    const endpoint = endpointOf(webhooks)
    return endpoint && z.encode(WebhookEndpoint, endpoint)
  }
  return {
    get,
    put(settings) {
      const { url, secret = secretOf(internals), events } = readOptions(WebhookOptions, settings)
      const endpoint = { url, secret, events, disabledAt: null }
      runUnit(internals, () => webhooks.setEndpoint(endpoint))
      return get()!
    },
    remove() {
      runUnit(internals, () => webhooks.setEndpoint(undefined))
    },
  }
}
