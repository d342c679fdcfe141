import { execFileSync } from 'node:child_process'
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { emptyBytes, openDatabase } from '../../src/service/store/database.ts'
import { ClockAndRandom } from '../../src/service/store/settings.ts'
import { openStore, Store } from '../../src/service/store/store.ts'
import { Random } from '../../src/spec/world/random.ts'
import { folder } from '../given.ts'

interface Work {
  writes: number
  ends: 'well' | 'in a refusal' | 'in a bug'
}

const someWork = fc.record<Work>({
  writes: fc.nat(3),
  ends: fc.constantFrom('well', 'in a refusal', 'in a bug'),
})

function emptyFile(file: string): string {
  writeFileSync(file, emptyBytes('file'))
  return file
}

/** Runs everything in one turn of the event loop, so that it shares one commit. */
async function together(store: ReturnType<typeof openStore>, works: readonly Work[]) {
  let drawn = 0
  const write = (name: string) => {
    const id = `${name}_${++drawn}`
    store.settings.put(id, 'kept')
    store.settings.put('latest', id)
    store.events.insert({
      id,
      type: 'refund.created',
      resourceId: name,
      belongsTo: name,
      createdAt: 1,
      body: '{}',
    })
  }
  const outcomes = works.map(({ writes, ends }, index) =>
    store.transact((undo) => {
      for (let n = 0; n < writes; n += 1) write(`work${index}`)
      if (ends === 'in a bug') throw new Error(`bug ${index}`)
      if (ends === 'in a refusal') {
        undo()
        write(`refusal${index}`)
      }
      return index
    }),
  )
  return Promise.allSettled(outcomes)
}

/** The expected contents: as if each work had run alone. */
function expected(works: readonly Work[]) {
  let drawn = 0
  const ids: string[] = []
  for (const [index, { writes, ends }] of works.entries()) {
    const rows = Array.from({ length: writes }, () => `work${index}_${++drawn}`)
    if (ends === 'well') ids.push(...rows)
    if (ends === 'in a refusal') ids.push(`refusal${index}_${++drawn}`)
  }
  return ids
}

function kept(store: ReturnType<typeof openStore>) {
  const ids = store.events.list({ limit: 100 }).data.map(({ id }) => id)
  return { ids: ids.reverse(), latest: store.settings.get('latest') }
}

test('work that fails is rolled back alone, also if others share its commit', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(someWork, { minLength: 1, maxLength: 8 }), async (works) => {
      const store = openStore({})
      const outcomes = await together(store, works)
      expect(outcomes.map(({ status }) => status)).toEqual(
        works.map(({ ends }) => (ends === 'in a bug' ? 'rejected' : 'fulfilled')),
      )
      const ids = expected(works)
      expect(kept(store)).toEqual({ ids, latest: ids.at(-1) })
      store.close()
    }),
  )
})

/** Limits the size of files that this process writes. */
const limitFiles = (bytes: number | 'unlimited') =>
  execFileSync('prlimit', [`--pid=${process.pid}`, `--fsize=${bytes}:unlimited`])

describe.runIf(process.platform === 'linux')('a rollback by SQLite itself', () => {
  /** `fail` reads while the log may not grow: the cache is full, so SQLite has to write the changed page. */
  async function smallCache() {
    const file = emptyFile(join(folder(), 'shop.sqlite'))
    const db = openDatabase({ file, durability: 'process' })
    db.pragma('cache_size = 1')
    const store = new Store(db, { file }, {})
    await together(store, [{ writes: 50, ends: 'well' }])
    const fail = () => {
      expect(db.inTransaction).toBe(true)
      limitFiles(statSync(`${file}-wal`).size)
      try {
        expect(() => store.read(() => store.events.list({ limit: 100 }))).toThrow('disk')
      } finally {
        limitFiles('unlimited')
      }
      expect(db.inTransaction).toBe(false)
    }
    return { db, store, fail }
  }

  test.each(['at its next turn', 'before the next work'])('fails all waiting work, %s', async (noticed) => {
    const { db, store, fail } = await smallCache()
    const lost = store.transact(() => store.settings.put('latest', 'lost'))
    const read = store.read(() => store.settings.get('latest')) as Promise<string>
    const seen = read.then((latest) => ({ latest, whileOpen: db.inTransaction }))
    fail()

    if (noticed === 'at its next turn') await expect(lost).rejects.toThrow('nothing was changed')
    const next = store.transact(() => store.settings.put('next', 'kept'))
    await expect(lost).rejects.toThrow('nothing was changed')
    expect(await seen).toEqual({ latest: 'work0_50', whileOpen: false })
    await next
    expect(store.settings.get('next')).toBe('kept')
    store.close()
  })

  test('is detected without waiting work: the only work was refused, and its writes in apart() are lost', async () => {
    const { store, fail } = await smallCache()
    const refused = store.transact(() => {
      store.apart(() => store.settings.put('latest', 'apart'))
      throw new Error('refused')
    })
    expect(store.settings.get('latest')).toBe('apart')
    fail()
    await expect(refused).rejects.toThrow('refused')
    store.flush()
    expect(store.settings.get('latest')).toBe('work0_50')
    store.close()
  })
})

test('synchronous work is rolled back alone as well, and leaves work in flight', async () => {
  const store = openStore({})
  const underWay = together(store, [{ writes: 1, ends: 'well' }])
  const failing = () =>
    store.transactNow(() => {
      store.settings.put('latest', 'never')
      throw new Error('no')
    })
  expect(failing).toThrow('no')
  expect(await underWay).toMatchObject([{ status: 'fulfilled' }])
  expect(kept(store)).toEqual({ ids: ['work0_1'], latest: 'work0_1' })
  store.close()
})

test.for(['in a refusal', 'in a bug'])('writes in apart() survive work that ends %s', async (ends) => {
  const store = openStore({})
  const work = store.transact((undo) => {
    store.settings.put('before', 1)
    store.apart(() => store.settings.put('apart', 1))
    store.settings.put('after', 1)
    undo()
    store.settings.put('refusal', 1)
    if (ends === 'in a bug') throw new Error('bug')
  })
  await Promise.allSettled([work])
  const left = ['before', 'apart', 'after', 'refusal'].filter((name) => store.settings.get(name))
  expect(left).toEqual(ends === 'in a bug' ? ['apart'] : ['apart', 'refusal'])
  store.close()
})

test('a failed commit rolls back the whole group, and is reported once', async () => {
  const committed: unknown[] = []
  let size = 1
  const store = openStore(
    { file: emptyFile(join(folder(), 'shop.sqlite')) },
    {
      beforeCommit: ({ settings }) => settings.put('size', 'x'.repeat(size)),
      rolledBack: ({ settings }) => committed.push(settings.get('latest')),
    },
  )
  store.transactNow(() => store.settings.put('latest', 'before'))
  const work = (name: string) => store.transact(() => store.settings.put('latest', name))

  store.limitPages(1)
  size = 100_000
  const outcomes = await Promise.allSettled([work('a'), work('b')])
  expect(outcomes).toMatchObject([
    { status: 'rejected', reason: { status: 503, cause: { code: 'SQLITE_FULL' } } },
    { status: 'rejected', reason: { status: 503, cause: { code: 'SQLITE_FULL' } } },
  ])
  expect(committed).toEqual(['before'])

  size = 1
  await Promise.all([work('c'), work('d')])
  expect(store.settings.get('latest')).toBe('d')
  store.close()
})

test('nothing of a group stays if its last writes fail but SQLite keeps the transaction open', async () => {
  let fails = false
  const store = openStore(
    {},
    {
      beforeCommit: () => {
        if (fails) throw new Error('bug')
      },
    },
  )
  store.transactNow(() => store.settings.put('latest', 'before'))
  const work = (name: string) => store.transact(() => store.settings.put(name, 1))

  fails = true
  const outcomes = await Promise.allSettled([work('a'), work('b')])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(['latest', 'a', 'b'].map((name) => store.settings.get(name))).toEqual([
    'before',
    undefined,
    undefined,
  ])

  fails = false
  await work('c')
  expect(store.settings.get('c')).toBe(1)
  store.close()
})

test('in memory, a failed commit skips the numbers that were drawn, and puts the clock back', async () => {
  const state = new ClockAndRandom()
  let size = 1
  const store = openStore(
    {},
    {
      beforeCommit: (store) => {
        state.beforeCommit(store)
        store.settings.put('size', 'x'.repeat(size))
      },
      rolledBack: (store) => state.rolledBack(store),
    },
  )
  state.restore({ frozenAt: 1, offsetMs: 0 }, new Random(7).state())
  store.transactNow(() => state.random.next())
  const drawn = state.random.drawn()

  store.limitPages(1)
  size = 100_000
  const failing = store.transact(() => {
    state.random.next()
    state.clock.restore({ frozenAt: 2, offsetMs: 0 })
  })
  await expect(failing).rejects.toMatchObject({ status: 503 })
  expect(state.random.drawn()).toBe(drawn + 1)
  expect(state.clock.state()).toEqual({ frozenAt: 1, offsetMs: 0 })
  store.close()
})

test('work of consecutive turns of the event loop shares a commit, up to a hundred', async () => {
  const commits: number[] = []
  let begun = 0
  const store = openStore({}, { beforeCommit: () => commits.push(begun) })
  const works: Promise<unknown>[] = []
  while (begun < 150) {
    begun += 1
    works.push(store.transact(() => store.settings.put('latest', begun)))
    await new Promise(setImmediate)
  }
  await Promise.all(works)
  expect(commits).toEqual([100, 150])
  store.close()
})
