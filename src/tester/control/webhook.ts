/** Where a sandbox's events are delivered. `/v1` has no operation for it. */
import { z } from 'zod'
import type { Endpoint } from '../../service/webhooks/webhooks.ts'
import { readOptions } from '../../spec/options/read.ts'
import { WebhookSettings } from '../../spec/options/sandbox.ts'
import { runUnit, type SandboxInternals } from './internals.ts'
import { WebhookEndpoint } from './shapes.ts'
import type { SandboxMethods } from './verbs.ts'

export const secretOf = ({ webhooks, config }: SandboxInternals): string =>
  webhooks.endpoint?.secret ?? config.signingSecret

export const shownEndpoint = (endpoint: Endpoint | null) =>
  endpoint && { ...endpoint, previous: endpoint.previous ?? null, events: [...endpoint.events] }

export function webhookControl(internals: SandboxInternals): SandboxMethods['webhook'] {
  const { webhooks } = internals
  const get = () => {
    const endpoint = shownEndpoint(webhooks.endpoint ?? null)
    return endpoint && z.encode(WebhookEndpoint, endpoint)
  }
  return {
    get,
    put(settings) {
      const before = secretOf(internals)
      const { url, secret = before, events, overlap } = readOptions(WebhookSettings, settings)
      runUnit(internals, ({ now }) => {
        const isNew = secret !== before
        const changing = overlap === undefined ? null : { secret: before, until: now + overlap }
        const previous = isNew ? changing : (webhooks.endpoint?.previous ?? null)
        webhooks.setEndpoint({ url, secret, previous, events, disabledAt: null })
      })
      return get()!
    },
    remove() {
      runUnit(internals, () => webhooks.setEndpoint(undefined))
    },
  }
}
