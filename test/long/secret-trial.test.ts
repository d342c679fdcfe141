/** The tour at a service in which every key is another: what is learned is right, and what is not learned stands in docs/measuring.md. */
import { describe, expect, test } from 'vitest'
import { parseProfile } from '../../src/tools/commands/profile.ts'
import { comparedWith } from '../fidelity/compared-with.ts'
import { API_KEY, fidelity, openService } from '../fidelity/given.ts'
import { secretProfile } from '../fidelity/secret-profile.ts'

async function learnedAt(seed: number, shown: readonly string[]) {
  const secret = secretProfile(seed, shown)
  const { url, shop } = await openService({ profile: secret, rateLimit: 10_000 })
  // Its times are whole seconds: a change in that of the creation does not tell updatedAt from createdAt.
  shop.arm({ when: { op: 'checkouts.confirm' }, times: 1, do: { delay: '1100ms', at: 'before' } })
  const { profile } = await fidelity({ target: url, apiKey: API_KEY, patience: '10s' })
  return comparedWith(secret, parseProfile(profile, 'learned.yaml'))
}

/** What no answer of the tour shows to a platform: docs/measuring.md says so. */
const UNSEEN =
  /^fields\.(checkout\.approvedAt|authorization\.orderId|customer\.(name|email|phone|createdAt|updatedAt))$|^states\.checkout\.approved$|^events\.|^errors\.names\.(405|413|429|50\d)$|^errors\.texts\.(methodNotAllowed|wrongState|notApproved|keyInFlight|bodyTooLarge|wrongMediaType|tooManyRequests|internalError)$|^paths\.events\.get$|^idempotency\.keep$|^rateLimit\.window$|^webhooks\./

// Seeds 1 to 3 were tried by hand; each takes half a minute.
describe.each([1])('drawn with the seed %i', (seed) => {
  // Without a Location the tour waits at eighteen steps for what it cannot find.
  test('nothing wrong is learned where every key is another, and no Location leads to what was made', {
    timeout: 300_000,
  }, async () => {
    const { right, wrong } = await learnedAt(seed, [])
    expect(wrong).toEqual([])
    expect(right.length).toBeGreaterThan(75)
  })

  test('nothing wrong is learned where each kind lacks a field, and has one more', async () => {
    const { right, wrong } = await learnedAt(seed, ['answers.location'])
    expect(wrong).toEqual([])
    expect(right.length).toBeGreaterThan(115)
  })

  test('all but what the tour cannot see is learned where no field is left out', async () => {
    const { right, wrong, unknown } = await learnedAt(seed, ['answers.location', 'answers.leaveOut'])
    expect({ wrong, unknown: unknown.filter((key) => !UNSEEN.test(key)) }).toEqual({ wrong: [], unknown: [] })
    expect(right.length).toBeGreaterThan(130)
  })
})
