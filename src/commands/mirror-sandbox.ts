/** The sandbox in which the requests to a real service are played as well. */
import { contractOf } from '../contract/contract.ts'
import type { ProfileChanges } from '../contract/profile.ts'
import type { MirrorSandbox } from '../learn/mirror.ts'
import { createSimulator } from '../simulator.ts'

/** It is asked in this process: nothing listens there. */
const ORIGIN = 'http://paysim.test'

export function openMirrorSandbox(profile?: ProfileChanges): {
  sandbox: MirrorSandbox
  close(): Promise<void>
} {
  // The service's own limit says how many requests come.
  const simulator = createSimulator({ rateLimit: 'off', publicUrl: ORIGIN, ...(profile && { profile }) })
  const { apiKey } = simulator.sandbox('default')
  return {
    sandbox: {
      apiKey,
      origin: ORIGIN,
      kindOf: contractOf(profile).kindOf,
      async ask({ method, target, headers, body }) {
        const answer = await simulator.fetch(
          new Request(`${ORIGIN}${target}`, {
            method,
            headers,
            ...(body !== undefined && method !== 'GET' && method !== 'HEAD' && { body }),
          }),
        )
        return {
          status: answer.status,
          headers: Object.fromEntries(answer.headers),
          body: await answer.text(),
        }
      },
    },
    close: () => simulator.close(),
  }
}
