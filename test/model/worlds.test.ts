/**
 * Long histories of several kept sandboxes at the same time, each with its model: forked, saved, restored, removed,
 * and now and then all closed and reopened.
 * PAYSIM_MODEL_OPERATIONS sets the length, and PAYSIM_MODEL_SEED selects other histories.
 */
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { Random } from '../../src/spec/world/random.ts'
import { composeSimulator } from '../../src/tools/compose.ts'
import { type Platform, type Sent, START } from '../contract/platform.ts'
import { Tester } from '../contract/tester.ts'
import { EFFORT } from '../effort.ts'
import { folder } from '../given.ts'
import { anyStep, History, type Step, withoutSandbox } from './history.ts'

const OPERATIONS = Number(process.env.PAYSIM_MODEL_OPERATIONS ?? (EFFORT === 1 ? 600 : 10_000))
const SEED = Number(process.env.PAYSIM_MODEL_SEED ?? 1)
const WORLDS_MAX = 4
/** So that reading a whole sandbox stays fast. */
const LIFE_MAX = 400

interface World {
  name: string
  history: History
  lived: number
  /** The contents of each snapshot, by name. */
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

const random = new Random(SEED)
const below = (count: number) => Math.floor(random.fraction() * count)

/** The existing sandboxes, and the actions on a whole sandbox. */
class Worlds {
  living: World[] = []
  /** How often each action succeeded: no copy is created while there are enough. */
  readonly done: Record<string, number> = {}
  readonly #data: string
  #process: ReturnType<typeof open>
  #made = 0
  #next = 0

  constructor(data: string) {
    this.#data = data
    this.#process = open(data)
  }

  close(): Promise<void> {
    return this.#process.simulator.close()
  }

  any(): World {
    if (this.living.length === 0) this.#add(this.#simulator.create({ name: this.#nextName() }).name)
    return this.living[below(this.living.length)]!
  }

  remove(world: World): void {
    this.#simulator.remove(world.name)
    this.living = this.living.filter((present) => present !== world)
  }

  /** The next action, on this sandbox or, if it needs a snapshot, on a sandbox that has one. */
  async happenTo(world: World): Promise<void> {
    const names = Object.keys(this.#things)
    const what = names[this.#next++ % names.length]!
    const withSnapshots = this.living.filter(({ snapshots }) => snapshots.size > 0)
    const needsSnapshot = what.includes('restore') || what.includes('of a')
    const isDone = await this.#things[what]!(needsSnapshot ? (withSnapshots[0] ?? world) : world)
    if (isDone) this.done[what] = (this.done[what] ?? 0) + 1
  }

  get things(): string[] {
    return Object.keys(this.#things)
  }

  /** Each returns whether it succeeded. */
  readonly #things: Record<string, (world: World) => boolean | Promise<boolean>> = {
    snapshot: ({ name, history, snapshots }) => {
      const snapshot = `s-${below(2)}`
      this.#simulator.find(name).snapshot(snapshot)
      snapshots.set(snapshot, new History(history.platform, history))
      return true
    },
    'fork of a snapshot': ({ name, snapshots, lived }) => {
      const [snapshot, then] = [...snapshots].at(-1) ?? []
      if (then === undefined || this.living.length >= WORLDS_MAX) return false
      const from = { sandbox: name, snapshot: snapshot! }
      this.#add(this.#simulator.create({ name: this.#nextName(), from }).name, then, lived)
      return true
    },
    restore: (world) => {
      const [snapshot, then] = [...world.snapshots][below(world.snapshots.size)] ?? []
      if (then === undefined) return false
      this.#simulator.find(world.name).restore(snapshot!)
      world.history = new History(world.history.platform, then)
      return true
    },
    fork: ({ name, history, lived }) => {
      if (this.living.length >= WORLDS_MAX) return false
      this.#add(this.#simulator.create({ name: this.#nextName(), from: name }).name, history, lived)
      return true
    },
    'close and open': async () => {
      await this.close()
      this.#process = open(this.#data)
      for (const world of this.living)
        world.history = new History(this.#process.platformOf(world.name), world.history)
      return true
    },
    check: async (world) => {
      await expectAsModelled(world)
      return true
    },
  }

  get #simulator() {
    return this.#process.simulator
  }

  #nextName(): string {
    this.#made += 1
    return `w-${this.#made}`
  }

  /** A copy is as old as its original and has as much to read. */
  #add(name: string, copied?: History, lived = 0): void {
    const history = new History(this.#process.platformOf(name), copied)
    this.living.push({ name, history, lived, snapshots: new Map() })
  }
}

async function expectAsModelled({ history }: World): Promise<void> {
  history.expectAlike()
  await history.expectReadable()
  await history.expectRemembered()
}

test(`${OPERATIONS} operations on sandboxes that are copied, restored and reopened`, {
  timeout: 7_200_000,
}, async () => {
  const worlds = new Worlds(folder())
  onTestFinished(() => worlds.close())
  let steps: Step[] = []
  for (let operation = 0; operation < OPERATIONS; operation += 1) {
    const world = worlds.any()
    if (random.fraction() < 0.02) {
      await worlds.happenTo(world)
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
    await expectAsModelled(world)
    worlds.remove(world)
  }
  for (const world of worlds.living) await expectAsModelled(world)
  console.info(`${OPERATIONS} operations, of which ${JSON.stringify(worlds.done)}`)
  expect(Object.keys(worlds.done).toSorted()).toEqual(worlds.things.toSorted())
})
