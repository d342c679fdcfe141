/**
 * Long lives of kept sandboxes beside each other, each with its model: forked, kept as a snapshot, restored, removed, and
 * all of them closed and opened again now and then. The hundred thousandth request is answered as the first one.
 * PAYSIM_MODEL_OPERATIONS and PAYSIM_MODEL_SEED do more, and others.
 */
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { Random } from '../../src/spec/world/random.ts'
import { composeSimulator } from '../../src/tools/compose.ts'
import { type Platform, type Sent, START } from '../contract/platform.ts'
import { Tester } from '../contract/tester.ts'
import { EFFORT } from '../effort.ts'
import { folder } from '../process/folder.ts'
import { anyStep, History, type Step, withoutSandbox } from './history.ts'

const OPERATIONS = Number(process.env.PAYSIM_MODEL_OPERATIONS ?? (EFFORT === 1 ? 600 : 100_000))
const SEED = Number(process.env.PAYSIM_MODEL_SEED ?? 1)
const WORLDS_MAX = 4
/** So that reading all of one stays quick. */
const LIFE_MAX = 400

interface World {
  name: string
  history: History
  lived: number
  /** By name, what each snapshot holds. */
  snapshots: Map<string, History>
}

function open(data: string) {
  const { simulator, internalsOf } = composeSimulator({
    data,
    durability: 'process',
    rateLimit: 'off',
    seed: 1,
    clock: `frozen@${START}`,
    log: 'silent',
    memory: 16,
    publicUrl: 'http://paysim.test',
  })
  const platformOf = (name: string): Platform => {
    const sandbox = internalsOf(name)
    const headers = { 'x-api-key': sandbox.config.apiKey, 'content-type': 'application/json' }
    return {
      run: '1',
      tester: new Tester(simulator, sandbox),
      async send(sent: Sent) {
        const [method = '', path = ''] = sent.call.split(' ')
        const request = new Request(`http://paysim.test${path}`, {
          method,
          headers: { ...headers, ...sent.headers },
          ...(sent.body !== undefined && { body: sent.body as string }),
        })
        const answer = await simulator.fetch(request)
        const text = withoutSandbox(await answer.text())
        return { status: answer.status, headers: answer.headers, text, body: JSON.parse(text) }
      },
    }
  }
  return { simulator, platformOf }
}

test(`${OPERATIONS} operations of sandboxes that are copied, restored and opened again`, {
  timeout: 7_200_000,
}, async () => {
  const data = folder()
  const random = new Random(SEED)
  const below = (count: number) => Math.floor(random.fraction() * count)
  let { simulator, platformOf } = open(data)
  onTestFinished(() => simulator.close())
  let worlds: World[] = []
  let steps: Step[] = []
  let made = 0
  /** What was really done, as a copy is not made while there are enough. */
  const done: Record<string, number> = {}
  const count = (what: string) => {
    done[what] = (done[what] ?? 0) + 1
  }

  const nextName = () => `w-${++made}`
  /** A copy has lived as long as what it is a copy of: it has as much to read. */
  const add = (name: string, copied?: History, lived = 0) => {
    worlds.push({ name, history: new History(platformOf(name), copied), lived, snapshots: new Map() })
  }
  const check = async ({ history }: World) => {
    history.expectAlike()
    await history.expectReadable()
    await history.expectRemembered()
    count('check')
  }
  const remove = (world: World) => {
    simulator.remove(world.name)
    worlds = worlds.filter((other) => other !== world)
  }

  const whole: Record<string, (world: World) => void | Promise<void>> = {
    snapshot({ name, history, snapshots }) {
      const snapshot = `s-${below(2)}`
      simulator.find(name).snapshot(snapshot)
      snapshots.set(snapshot, new History(history.platform, history))
      count('snapshot')
    },
    'fork of a snapshot'({ name, snapshots, lived }) {
      const [snapshot, then] = [...snapshots].at(-1) ?? []
      if (then === undefined || worlds.length >= WORLDS_MAX) return
      const copy = simulator.create({ name: nextName(), from: { sandbox: name, snapshot: snapshot! } })
      add(copy.name, then, lived)
      count('fork of a snapshot')
    },
    restore(world) {
      const [snapshot, then] = [...world.snapshots][below(world.snapshots.size)] ?? []
      if (then === undefined) return
      simulator.find(world.name).restore(snapshot!)
      world.history = new History(world.history.platform, then)
      count('restore')
    },
    fork({ name, history, lived }) {
      if (worlds.length >= WORLDS_MAX) return
      const copy = simulator.create({ name: nextName(), from: name })
      add(copy.name, history, lived)
      count('fork')
    },
    async 'close and open'() {
      await simulator.close()
      ;({ simulator, platformOf } = open(data))
      for (const world of worlds) world.history = new History(platformOf(world.name), world.history)
      count('close and open')
    },
    check,
  }
  const wholeNames = Object.keys(whole)
  let next = 0

  for (let operation = 0; operation < OPERATIONS; operation += 1) {
    if (worlds.length === 0) add(simulator.create({ name: nextName() }).name)
    const world = worlds[below(worlds.length)]!
    if (random.fraction() < 0.02) {
      const what = wholeNames[next++ % wholeNames.length]!
      const withSnapshots = worlds.filter(({ snapshots }) => snapshots.size > 0)
      await whole[what]!(
        what.includes('restore') || what.includes('of a') ? (withSnapshots[0] ?? world) : world,
      )
      continue
    }
    if (steps.length === 0) steps = fc.sample(anyStep, { numRuns: 1_000, seed: SEED + operation })
    const step = steps.pop()!
    // Rebuilding a file takes as long as twenty requests, and restored snapshots are rebuilt as well.
    if (step.do === 'restart' && random.fraction() < 0.8) continue
    await world.history.take(step)
    world.history.transcript = ''
    world.lived += 1
    if (world.lived < LIFE_MAX) continue
    await check(world)
    remove(world)
  }
  for (const world of worlds) await check(world)
  console.info(`${OPERATIONS} operations, of which ${JSON.stringify(done)}`)
  expect(Object.keys(done).toSorted()).toEqual(wholeNames.toSorted())
})
