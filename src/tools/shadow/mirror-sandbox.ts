/** The sandbox in which the requests to a real service are repeated. */

import { contractOf } from '../../spec/contract/contract.ts'
import { writes } from '../../spec/contract/endpoints.ts'
import type { ProfileChanges } from '../../spec/contract/profile.ts'
import type { Answered, Asked } from '../../spec/exchange.ts'
import { composeSimulator } from '../compose.ts'

/** Origin for `simulator.fetch`: requests are made in-process, so nothing listens there. */
const NOWHERE = 'http://paysim.test'

export type MirrorSandbox = ReturnType<typeof openMirrorSandbox>['sandbox']

export function openMirrorSandbox(profile?: ProfileChanges) {
  const { simulator } = composeSimulator(
    // No limit here: the service's own limit bounds the requests.
    { rateLimit: 'off', log: 'silent', ...(profile && { profile }) },
    { portFlag: '--dashboard-port' },
  )
  let origin = NOWHERE
  const { apiKey } = simulator.sandbox('default')
  const contract = contractOf(profile)
  return {
    sandbox: {
      apiKey,
      /** The origin of the addresses that the sandbox makes. */
      get origin() {
        return origin
      },
      kindOf: contract.ids.kindOf,
      hasOperation: (method: string, path: string) => contract.operationAt(method, path) !== undefined,
      async ask({ method, target, headers, body }: Asked): Promise<Answered> {
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
    /** Its address. */
    async openDashboard(port: number) {
      origin = (await simulator.listen({ port })).url
      return `${origin}/_sim/ui`
    },
    close: () => simulator.close(),
  }
}
