/**
 * The tour against a service with a different value for every key: it infers nothing wrong, and every key that docs/profile-keys.md
 * marks as learned by the tour.
 */
import { describe, expect, test } from 'vitest'
import { PROFILE_KEYS, type ProfileKey } from '../../src/spec/contract/profile.ts'
import { parseProfile } from '../../src/tools/commands/profile.ts'
import { comparedWith } from '../fidelity/compared-with.ts'
import { API_KEY, fidelity, openService } from '../fidelity/given.ts'
import { secretProfile } from '../fidelity/secret-profile.ts'

async function learnedAt(seed: number, shown: readonly string[], maxWait: string) {
  const secret = secretProfile(seed, shown)
  const { url } = await openService({ profile: secret, rateLimit: 10_000 })
  const { profile } = await fidelity({ target: url, apiKey: API_KEY, maxWait })
  return comparedWith(secret, parseProfile(profile, 'learned.yaml'))
}

const learnedIn = (keys: readonly string[], learned: ProfileKey['learned']) =>
  PROFILE_KEYS.filter((row) => row.learned === learned && keys.includes(row.key)).map(({ key }) => key)

// Seeds 4 to 6 passed in a manual run.
describe.each([1, 2, 3])('drawn with the seed %i', (seed) => {
  test('nothing wrong is learned if every key differs and no Location points to the new resource', {
    timeout: 300_000,
  }, async () => {
    const { right, wrong } = await learnedAt(seed, [], '2s')
    expect(wrong).toEqual([])
    expect(right.length).toBeGreaterThan(35)
  })

  test('nothing wrong is learned if each kind lacks one field and has an extra one', async () => {
    const { right, wrong } = await learnedAt(seed, ['answers.location', 'fields'], '10s')
    expect(wrong).toEqual([])
    expect(right.length).toBeGreaterThan(65)
  })

  test('everything visible to the tour is learned if each kind has its usual fields', async () => {
    const shown = ['answers.location', 'answers.leaveOut', 'fields']
    const { right, wrong, unknown } = await learnedAt(seed, shown, '10s')
    expect(wrong).toEqual([])
    expect(learnedIn(unknown, 'tour')).toEqual([])
    expect(learnedIn(right, 'never')).toEqual([])
    expect(right.length).toBeGreaterThan(65)
  })
})
