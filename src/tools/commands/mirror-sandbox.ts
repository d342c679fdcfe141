/** The sandbox in which the requests to a real service are repeated. */

import { contractOf } from '../../spec/contract/contract.ts'
import { writes } from '../../spec/contract/endpoints.ts'
import type { ProfileChanges } from '../../spec/contract/profile.ts'
import { composeSimulator } from '../compose.ts'
import type { MirrorSandbox } from '../shadow/mirror.ts'
import type { ShadowList } from '../shadow/shadow-list.ts'

/** Origin for `simulator.fetch`: requests are made in-process, so nothing listens there. */
const NOWHERE = 'http://paysim.test'

export function openMirrorSandbox(
  profile?: ProfileChanges,
  shadow?: ShadowList,
): {
  sandbox: MirrorSandbox
  /** The address of its dashboard. */
  openDashboard(port: number): Promise<string>
  close(): Promise<void>
} {
  const { simulator } = composeSimulator(
    // No limit here: the service's own limit bounds the requests.
    { rateLimit: 'off', log: 'silent', ...(profile && { profile }) },
    { shadow, portFlag: '--dashboard-port' },
  )
  let origin = NOWHERE
  const { apiKey } = simulator.sandbox('default')
  const contract = contractOf(profile)
  return {
    sandbox: {
      apiKey,
      get origin() {
        return origin
      },
      kindOf: contract.ids.kindOf,
      hasOperation: (method, path) => contract.operationAt(method, path) !== undefined,
      async ask({ method, target, headers, body }) {
        const answer = await simulator.fetch(
          new Request(`${origin}${target}`, {
            method,
            headers,
            ...(body !== undefined && writes(method) && { body }),
          }),
        )
        return {
          status: answer.status,
          headers: Object.fromEntries(answer.headers),
          body: await answer.text(),
        }
      },
    },
    async openDashboard(port) {
      origin = (await simulator.listen({ port })).url
      return `${origin}/_sim/ui/real-service`
    },
    close: () => simulator.close(),
  }
}
