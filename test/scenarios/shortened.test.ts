/** A recording is written shorter where it repeats itself, and loses nothing of what it sends and expects. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseScenario } from '../../src/sandbox/scenario-file/read.ts'
import type { ScenarioStep } from '../../src/sandbox/scenario-file/step.ts'
import { Secrets } from '../../src/spec/secrets.ts'
import { readSession, recordSession } from '../../src/tester/control/record.ts'
import { recordSteps } from '../../src/tester/recorder/record-scenario.ts'
import { scenarioYaml } from '../../src/tester/recorder/write-yaml.ts'
import { playFile } from '../../src/tools/player/session.ts'
import { anyStep, live, type Step } from '../model/history.ts'
import { startOwn } from './own.ts'

/** Every step that is played, in its order, with names that do not depend on how the file is written. */
function played(yaml: string): unknown[] {
  const flat: unknown[] = []
  const captures = new Map<string, string>()
  const keys = new Map<string, number>()
  let count = 0
  const named = (text: string) =>
    text.replace(/(?<!\$)\$\{([^{}]*)\}/g, (_, name: string) => {
      if (name === 'uuid') return `<key ${keys.set(`new ${keys.size}`, keys.size).size - 1}>`
      if (!name.startsWith('uuid:')) return `<${captures.get(name)}>`
      if (!keys.has(name)) keys.set(name, keys.size)
      return `<key ${keys.get(name)}>`
    })
  const take = (steps: readonly ScenarioStep[]): void => {
    for (const step of steps) {
      if ('steps' in step) {
        take(step.steps)
        for (const [name, from] of Object.entries(('capture' in step && step.capture) || {}))
          captures.set(name, captures.get(String(from).slice(2))!)
        continue
      }
      const { capture, ...rest } = step as ScenarioStep & { capture?: Record<string, unknown> }
      const written = JSON.parse(JSON.stringify(rest), (_, value) =>
        typeof value === 'string' ? named(value) : value,
      )
      for (const name of Object.keys(capture ?? {})) {
        captures.set(name, `capture ${count}`)
        count += 1
      }
      flat.push({ ...written, captures: Object.values(capture ?? {}) })
    }
  }
  take(parseScenario(yaml).steps ?? [])
  return flat
}

/** Stories that are alike but for what is between them, as the tests of a shop are. */
const sessions: fc.Arbitrary<Step[]> = fc
  .record({
    story: fc.array(anyStep, { minLength: 1, maxLength: 4 }),
    between: fc.array(fc.array(anyStep, { maxLength: 2 }), { minLength: 2, maxLength: 4 }),
  })
  .map(({ story, between }) => between.flatMap((others) => [...story, ...others]))

test('every step of a session is sent and expected as it was, in a shorter file that passes', async () => {
  const own = await startOwn()
  let withUse = 0
  await fc.assert(
    fc.asyncProperty(sessions, fc.boolean(), async (history, minimal) => {
      const shop = (await live(history)).platform.tester.control
      if (shop.requests().length === 0) return
      const { session } = await readSession(shop, { minimal })
      const { yaml } = await recordSession(shop, { minimal })
      const { steps } = recordSteps(session)
      const whole = scenarioYaml({ name: 'whole', steps }, [])
      const short = yaml.slice(yaml.search(/^(setups|steps):/m))
      expect(played(yaml).slice(0, steps.length)).toEqual(played(whole))
      if (!yaml.includes('setups:')) return
      withUse += 1
      if (!minimal) expect(short.length).toBeLessThan(whole.length)
      const { outcome, reason } = await playFile(
        'session.yaml',
        parseScenario(yaml),
        { base: new URL(own.url), apiKey: undefined, adminToken: undefined },
        { env: {}, secrets: new Secrets(), keepGoing: false, patience: { within: 0, every: 1 }, onStep() {} },
      )
      expect({ outcome, reason }).toEqual({ outcome: 'passed', reason: undefined })
    }),
    { numRuns: 30, endOnFailure: true },
  )
  expect(withUse).toBeGreaterThan(0)
})
