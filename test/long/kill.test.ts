/**
 * kill -9 at random instants, while requests write and sandboxes are created, forked, restored, reset and removed. After each kill
 * the next start serves, has all acknowledged writes, and has nothing twice. Set KILLS=1000 for a longer run. money.test.ts kills
 * while money moves.
 */
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { Random } from '../../src/spec/world/random.ts'
import { folder } from '../given.ts'
import { call, startPaysim } from '../process/paysim.ts'

const KILLS = Number(process.env.KILLS ?? 25)
const random = new Random(20_260_101)

/** The expected state of a sandbox: certain after an acknowledgement, open while a request is outstanding. */
interface Known {
  /** Acknowledged, so these must exist. */
  customers: Set<string>
  /** Requested without a response, so these may exist. */
  asked: Set<string>
}

/** Whether a sandbox exists; `either` after an unanswered request that changes the whole sandbox. */
type Whole = 'there' | 'gone' | 'either'

const NAMES = ['a', 'b', 'c', 'd']

class Model {
  readonly whole = new Map<string, Whole>(NAMES.map((name) => [name, 'gone']))
  readonly known = new Map<string, Known>()
  readonly snapshots = new Map<string, Known>()
  /** Possible states of a sandbox: before and after an unanswered change. */
  readonly open = new Map<string, Known[]>()
  /** Sandboxes that have a snapshot, either the latest requested or the previous one. */
  readonly kept = new Set<string>()
  number = 0
}

const empty = (): Known => ({ customers: new Set(), asked: new Set() })
const copy = ({ customers, asked }: Known): Known => ({
  customers: new Set(customers),
  asked: new Set(asked),
})

const ask = (
  url: string,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: unknown,
  apiKey = 'sk_staging_default',
  key?: string,
) => call(url, method, path, body, key, { 'x-api-key': apiKey })

/** One random change of a sandbox. Changes of one sandbox never overlap, so its possible states are known. */
async function change(url: string, model: Model, name: string): Promise<void> {
  const key = `sk_staging_${name}`
  const path = `/_sim/sandboxes/${name}`
  const before = model.known.get(name)!
  /** Until the response, the sandbox may be in the old or the new state. */
  const replace = async (
    after: Known | undefined,
    whole: Whole,
    asking: () => ReturnType<typeof ask>,
    right: number,
  ) => {
    const was = model.whole.get(name)!
    model.open.set(name, [before ?? empty(), after ?? empty()])
    model.whole.set(name, was === whole ? was : 'either')
    const { status, text } = await asking()
    if (status !== right) throw new Error(`${name}: ${status} ${text}`)
    model.open.delete(name)
    model.whole.set(name, whole)
    if (after) model.known.set(name, after)
    else model.known.delete(name)
  }

  if (model.whole.get(name) === 'gone') {
    const from = NAMES.find(
      (rest) => rest !== name && model.whole.get(rest) === 'there' && !model.open.has(rest),
    )
    const forks = from !== undefined && random.fraction() < 0.5
    // A concurrent change of the source would leave the fork's state unknown, so only an idle sandbox is forked.
    const fixture = { customers: [{ externalId: `seed-${name}` }] }
    if (forks && !busy.has(from)) {
      busy.add(from)
      await replace(
        copy(model.known.get(from)!),
        'there',
        () => ask(url, 'POST', '/_sim/sandboxes', { name, apiKey: key, from }),
        201,
      ).finally(() => busy.delete(from))
    } else if (random.fraction() < 0.2) {
      const { status } = await ask(url, 'POST', '/_sim/sandboxes', {
        name,
        from: { fixture: { customers: [fixture.customers[0], fixture.customers[0]] } },
      })
      if (status < 400 || status >= 500) throw new Error(`a wrong fixture was answered ${status}`)
    } else {
      const seeded = empty()
      seeded.customers.add(`seed-${name}`)
      await replace(
        seeded,
        'there',
        () => ask(url, 'POST', '/_sim/sandboxes', { name, from: { fixture } }),
        201,
      )
    }
    return
  }
  const snapshot = `${name}/then`
  const what = random.fraction()
  if (what < 0.08) {
    model.kept.delete(name)
    await replace(undefined, 'gone', () => ask(url, 'DELETE', path), 204)
    model.snapshots.delete(snapshot)
  } else if (what < 0.2) {
    // Until the response, the snapshot may be the old or the new one.
    model.snapshots.delete(snapshot)
    const { status } = await ask(url, 'POST', `${path}/snapshots`, { name: 'then' })
    if (status !== 201) throw new Error(`a snapshot was answered ${status}`)
    model.kept.add(name)
    model.snapshots.set(snapshot, copy(model.known.get(name)!))
  } else if (what < 0.3 && model.snapshots.has(snapshot)) {
    const then = copy(model.snapshots.get(snapshot)!)
    await replace(then, 'there', () => ask(url, 'POST', `${path}/snapshots/then/restore`), 200)
  } else if (what < 0.4) {
    // A reset restores the seed data of the sandbox, or of the one it was forked from.
    const seeded = empty()
    for (const name of NAMES) seeded.asked.add(`seed-${name}`)
    await replace(seeded, 'there', () => ask(url, 'POST', `${path}/reset`, {}), 204)
  } else {
    const externalId = `c-${++model.number}`
    before.asked.add(externalId)
    const { status, text } = await ask(url, 'POST', '/v1/customers', { externalId }, key, externalId)
    if (status !== 201) throw new Error(`${status} ${text}`)
    before.customers.add(externalId)
  }
}

const busy = new Set<string>()

async function work(
  url: string,
  model: Model,
  name: string,
  errors: unknown[],
  isOver: () => boolean,
): Promise<void> {
  while (!isOver()) {
    if (busy.has(name)) {
      await new Promise(setImmediate)
      continue
    }
    busy.add(name)
    try {
      await change(url, model, name)
    } catch (cause) {
      // A TypeError means that the process was killed; any other error is a failure.
      if (!(cause instanceof TypeError)) errors.push(cause)
      return
    } finally {
      busy.delete(name)
    }
  }
}

async function customersOf(url: string, name: string): Promise<Set<string>> {
  const found = new Set<string>()
  let cursor = ''
  do {
    const page = (await ask(url, 'GET', `/v1/customers?limit=100${cursor}`, undefined, `sk_staging_${name}`))
      .body
    for (const { externalId } of page.data) {
      expect({ externalId, again: found.has(externalId) }).toEqual({ externalId, again: false })
      found.add(externalId)
    }
    cursor = page.hasMore ? `&cursor=${encodeURIComponent(page.nextCursor)}` : ''
  } while (cursor !== '')
  return found
}

const fits = (found: ReadonlySet<string>, { customers, asked }: Known) =>
  [...customers].every((id) => found.has(id)) && [...found].every((id) => customers.has(id) || asked.has(id))

/** Compares the served state with the possible ones, and from then on treats it as known. */
async function expectModel(url: string, model: Model): Promise<void> {
  const served = new Set<string>(
    (await ask(url, 'GET', '/_sim/sandboxes')).body.data.map(({ name }: { name: string }) => name),
  )
  for (const name of NAMES) {
    const whole = model.whole.get(name)!
    if (whole !== 'either')
      expect({ name, served: served.has(name) }).toEqual({ name, served: whole === 'there' })
    model.whole.set(name, served.has(name) ? 'there' : 'gone')
    if (!served.has(name)) {
      model.known.delete(name)
      model.open.delete(name)
      model.snapshots.delete(`${name}/then`)
      model.kept.delete(name)
      continue
    }
    const found = await customersOf(url, name)
    const possible = model.open.get(name) ?? [model.known.get(name)!]
    const plain = possible.map(({ customers, asked }) => ({ customers: [...customers], asked: [...asked] }))
    const why = JSON.stringify({ name, found: [...found], possible: plain })
    expect(
      possible.filter((model) => fits(found, model)),
      why,
    ).not.toEqual([])
    model.known.set(name, { customers: found, asked: new Set() })
    model.open.delete(name)
    const listed = (await ask(url, 'GET', `/_sim/sandboxes/${name}/snapshots`)).body.data
    for (const { bytes } of listed) expect(bytes).toBeGreaterThan(10_000)
    if (model.kept.has(name)) expect(listed).toContainEqual(expect.objectContaining({ name: 'then' }))
  }
}

test(`${KILLS} kills at random instants lose no acknowledged write and repeat none`, {
  timeout: 1_000 * 3_600,
}, async () => {
  const data = folder()
  const model = new Model()
  const errors: unknown[] = []
  let changes = 0
  for (let kill = 0; kill < KILLS; kill += 1) {
    // The operating system keeps the writes of a killed process, so `process` must lose as little as `commit`.
    const durability = kill % 2 === 0 ? 'commit' : 'process'
    const paysim = await startPaysim(['--data', data, '--rate-limit', 'off', '--durability', durability])
    await expectModel(paysim.url, model)
    let over = false
    const workers = NAMES.map((name) => work(paysim.url, model, name, errors, () => over))
    await once(AbortSignal.timeout(5 + Math.floor(random.fraction() * 120)), 'abort')
    // Sometimes kill it during a shutdown, which moves writes from one file to another.
    if (kill % 5 === 4) {
      paysim.child.kill('SIGTERM')
      await once(AbortSignal.timeout(Math.floor(random.fraction() * 20)), 'abort')
    }
    const exited = paysim.kill()
    over = true
    await Promise.all(workers)
    await exited
    busy.clear()
    expect(errors).toEqual([])
    // A file that was set aside is a lost sandbox.
    expect(readdirSync(data).filter((file) => file.includes('set-aside'))).toEqual([])
    changes = model.number
  }
  console.info(`${KILLS} kills, ${changes} writes begun, nothing lost, nothing doubled`)
})
