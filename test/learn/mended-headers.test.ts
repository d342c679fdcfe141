/** A key of a profile that names a header, and the difference that it makes between two sandboxes. */
import { expect, onTestFinished, test } from 'vitest'
import { ANSWER_HEADERS } from '../../src/spec/contract/answer-headers.ts'
import type { ProfileChanges } from '../../src/spec/contract/profile.ts'
import { changedKeys, changesOf } from '../../src/spec/contract/profile.ts'
import { createSimulator } from '../../src/tools/compose.ts'
import { compareAnswers } from '../../src/tools/player/compare-sides.ts'
import { mendingKey } from '../../src/tools/shadow/mending-key.ts'
import { EVERY_KEY, ORDER } from '../contract/different-profile.ts'

const ORIGIN = 'http://paysim.test'

/** The answer to the first request with a key, or to the repeated one. */
async function answered(profile: ProfileChanges, times: number) {
  const simulator = createSimulator({ profile, seed: 1 })
  onTestFinished(() => simulator.close())
  const headers = {
    'x-api-key': simulator.sandbox('default').apiKey,
    'content-type': 'application/json',
    'idempotency-key': 'k',
  }
  const send = () =>
    simulator.fetch(
      new Request(`${ORIGIN}/v1/checkouts`, { method: 'POST', headers, body: JSON.stringify(ORDER) }),
    )
  for (let sent = 1; sent < times; sent += 1) await send()
  const answer = await send()
  return {
    status: answer.status,
    headers: Object.fromEntries(answer.headers),
    body: await answer.text(),
  }
}

const NAMED = ANSWER_HEADERS.flatMap(({ key, same }) =>
  changedKeys(EVERY_KEY).filter((row) => same !== 'nothing' && row.key === key),
)

test.for(NAMED.map((row) => [row.key, row] as const))(
  '%s is named for the header that a service calls otherwise, or does not have',
  async ([key, row]) => {
    const learned = [{ ...row, evidence: '', seenIn: [] }]
    const named: (string | undefined)[] = []
    for (const times of [1, 2]) {
      const [ours, theirs] = [await answered({}, times), await answered(changesOf([row]), times)]
      const here = { method: 'POST', target: '/v1/checkouts', seenIn: '', ...ours }
      const found = compareAnswers(ours, theirs, ORIGIN).filter(({ kind }) => kind === 'header')
      named.push(...found.map((difference) => mendingKey(difference, here, learned)?.key))
    }
    expect(new Set(named)).toEqual(new Set([key]))
  },
)
