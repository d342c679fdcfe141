/**
 * Records random sessions of a platform. Each recording passes when it runs, and fails as soon as the target changes an amount
 * in one response.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseScenario } from '../../src/sandbox/scenario-file/read.ts'
import { recordSession } from '../../src/tester/control/record.ts'
import { playFile } from '../../src/tools/player/session.ts'
import { live, steps } from '../model/history.ts'
import { startOwn } from '../scenarios/own.ts'
import { session } from '../scenarios/playing.ts'
import { changingProxy } from './changing-proxy.ts'

const SESSIONS = 15

/** A recorded step expects the amounts of a resource, but only the type of a list. */
const hasMoney = (text: string) =>
  text.startsWith('{') && /"amount\w*":[\d.]+/.test(text) && !text.startsWith('{"data"')

test('recorded sessions pass, and fail once an amount is changed', async () => {
  const simulator = await startOwn()
  const proxy = await changingProxy(simulator.url)
  const play = async (yaml: string) => {
    proxy.count = 0
    const played = await playFile(
      'session.yaml',
      parseScenario(yaml),
      { base: new URL(proxy.url), apiKey: undefined, adminToken: undefined },
      session(),
    )
    const [difference] = played.steps.find(({ outcome }) => outcome === 'failed')?.differences ?? []
    return { outcome: played.outcome, reason: played.reason, difference }
  }
  const passed = { outcome: 'passed', reason: undefined, difference: undefined }
  let sessions = 0
  let faults = 0
  await fc.assert(
    fc.asyncProperty(steps, fc.nat(), async (history, which) => {
      const lived = await live(history)
      const shop = lived.platform.tester.control
      fc.pre(shop.requests().length > 0)
      const { yaml, leftOut, recorded } = await recordSession(shop)
      expect(leftOut).toEqual([])
      expect(recorded).toBe(true)
      const withMoney: number[] = []
      proxy.change = (text, count) => {
        if (hasMoney(text)) withMoney.push(count)
        return undefined
      }
      expect(await play(yaml)).toEqual(passed)
      sessions += 1
      // Draw another session, so that the requested number of sessions has a changed amount.
      fc.pre(withMoney.length > 0)
      const spoil = withMoney[which % withMoney.length]
      proxy.change = (text, count) =>
        count === spoil
          ? text.replace(/("amount\w*":)([\d.]+)/, (_, name, value) => `${name}${Number(value) + 1}.00`)
          : undefined
      expect((await play(yaml)).outcome).toBe('failed')
      proxy.change = undefined
      expect(await play(yaml)).toEqual(passed)
      faults += 1
    }),
    { numRuns: SESSIONS, endOnFailure: true },
  )
  expect(sessions).toBeGreaterThan(SESSIONS * 0.9)
  expect(faults).toBeGreaterThan(SESSIONS * 0.6)
})
