/** Files of kept sandboxes: leftovers of a killed process, a full disk or another program never prevent a start. */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Database } from '../../src/service/store/sqlite.ts'
import { createSimulator } from '../../src/tools/compose.ts'
import { folder, logged } from '../given.ts'
import { addCheckout, checkouts, keeper } from './keeper.ts'
import { asPlatform, order } from './shop.ts'

/** A warning or an error. */
const WARNED = / (warn|error): /

/** A closed simulator that keeps the sandbox `shop`; this sandbox has a checkout. */
async function keptShop(withCheckout: 'default' | 'shop') {
  const kept = keeper()
  const lines = logged(WARNED)
  const simulator = await kept.open()
  simulator.create({ name: 'shop' })
  await addCheckout(simulator, withCheckout)
  await kept.close()
  return { ...kept, lines }
}

const twice = { fixture: { customers: [{ externalId: 'a' }, { externalId: 'a' }] } }

test('a sandbox with an invalid fixture leaves no file', async () => {
  const { open, files } = keeper()
  const simulator = await open()
  const before = files()
  expect(() => simulator.create({ name: 'oops', from: twice })).toThrow()
  expect(files()).toEqual(before)
  expect(simulator.create({ name: 'oops' }).name).toBe('oops')
})

describe('a start succeeds', () => {
  /** Each makes the file of a kept sandbox unreadable in a different way. */
  const spoil: Record<string, (file: string, data: string) => void> = {
    'is empty': (file) => writeFileSync(file, ''),
    'is not a database': (file) => writeFileSync(file, 'no database at all'.repeat(100)),
    'is cut off': (file) => truncateSync(file, 20_000),
    'is damaged in its first page': (file) => writeFileSync(file, readFileSync(file).fill(7, 100, 4_000)),
    'is another program’s': (file) => foreign(file, 0),
    'is another program’s, with a version that paysim has too': (file) => foreign(file, 1),
    'is from another version of paysim': (file) => {
      const db = new Database(file)
      db.pragma('user_version = 99')
      db.close()
    },
    'is a folder': (file) => {
      rmSync(file)
      mkdirSync(file)
    },
    'has the API key of another sandbox': (file, data) => copyFileSync(join(data, 'default.sqlite'), file),
  }

  function foreign(file: string, version: number): void {
    rmSync(file)
    const db = new Database(file)
    db.exec('CREATE TABLE notes (text)')
    db.pragma(`user_version = ${version}`)
    db.close()
  }

  test.for(Object.entries(spoil))(
    'with a file that %s: it is reported, set aside, not written to and replaced',
    async ([, spoil]) => {
      const { data, open, names, files, lines } = await keptShop('default')
      const file = join(data, 'shop.sqlite')
      spoil(file, data)
      const isFile = !readdirSync(data, { withFileTypes: true }).some(
        (entry) => entry.isDirectory() && entry.name === 'shop.sqlite',
      )
      const bytes = isFile ? readFileSync(file) : undefined

      const second = await open({ log: 'pretty' })
      expect(names()).toEqual(['default', 'shop'])
      expect(await checkouts(second, 'shop')).toBe(0)
      expect(await checkouts(second, 'default')).toBe(1)
      expect(lines).toHaveLength(1)
      expect(lines[0]).toContain(`${file} cannot be served and is now ${file}.set-aside-1: `)
      expect(files()).toContain('shop.sqlite.set-aside-1')
      if (bytes) expect(readFileSync(`${file}.set-aside-1`)).toEqual(bytes)

      await open({ log: 'pretty' })
      expect(lines).toHaveLength(1)
      expect(files()).toContain('shop.sqlite.set-aside-1')
    },
  )

  test.for([
    ['shop copy', ['default', 'shop'], 'its name is not that of a sandbox'],
    ['shop-backup', ['default', 'shop', 'shop-backup'], 'The sandbox shop already has this API key'],
  ] as const)(
    'with a copy named %s, which is set aside instead of the original',
    async ([copy, left, why]) => {
      const { data, open, names, files, lines } = await keptShop('shop')
      copyFileSync(join(data, 'shop.sqlite'), join(data, `${copy}.sqlite`))
      const second = await open({ log: 'pretty' })
      expect(names()).toEqual(left)
      expect(await checkouts(second, 'shop')).toBe(1)
      expect(files()).toContain(`${copy}.sqlite.set-aside-1`)
      expect(lines).toEqual([expect.stringContaining(why)])
    },
  )

  test('if the file of default is damaged, which starts empty', async () => {
    const { data, open, close, names, files } = keeper()
    const lines = logged(WARNED)
    await open()
    await close()
    writeFileSync(join(data, 'default.sqlite'), '')
    writeFileSync(join(data, 'default.sqlite.set-aside-1'), 'an earlier one')
    const simulator = await open({ log: 'pretty' })
    expect(names()).toEqual(['default'])
    expect(lines).toHaveLength(1)
    expect(files()).toContain('default.sqlite.set-aside-2')
    await addCheckout(simulator, 'default')
  })

  test('after a kill at any step of creating or removing a sandbox', async () => {
    const { data, open, close, names, files } = keeper()
    const first = await open()
    first.create({ name: 'gone' }).snapshot('then')
    first.create({ name: 'half' }).snapshot('then')
    await close()
    const at = (file: string) => join(data, file)
    // Interrupted while removing: the name is gone, some files remain.
    copyFileSync(at('gone.sqlite'), at('gone.sqlite.removed'))
    rmSync(at('gone.sqlite'))
    writeFileSync(at('gone.sqlite-wal'), 'the rows of the old one')
    // Interrupted while creating: the files are incomplete.
    writeFileSync(at('new.sqlite.unfinished'), 'half')
    writeFileSync(at('new.sqlite.unfinished-wal'), 'half')
    writeFileSync(at('snapshots/half/next.sqlite.unfinished'), 'half')
    // Interrupted while replacing: the old files are complete.
    writeFileSync(at('half.sqlite.unfinished'), 'half')

    const second = await open()
    expect(names()).toEqual(['default', 'half'])
    expect(second.find('half').snapshots.list()).toMatchObject([{ name: 'then' }])
    await close()
    expect(files()).toEqual(['default.sqlite', 'half.sqlite', 'paysim.lock', 'snapshots'])
    expect(readdirSync(at('snapshots'))).toEqual(['half'])
    expect(readdirSync(at('snapshots/half'))).toEqual(['then.sqlite'])
  })

  test('with a later sandbox that has no rows of a removed sandbox with its name', async () => {
    const { data, open } = keeper()
    const simulator = await open()
    simulator.create({ name: 'x' })
    await addCheckout(simulator, 'x')
    const log = readFileSync(join(data, 'x.sqlite-wal'))
    simulator.remove('x')
    writeFileSync(join(data, 'x.sqlite-wal'), log)
    simulator.create({ name: 'x' })
    expect(await checkouts(simulator, 'x')).toBe(0)
  })
})

test('names that differ only in case are different sandboxes, and are refused if their files would be the same', async () => {
  const { data, open } = keeper()
  const simulator = await open()
  const shop = simulator.create({ name: 'shop' })
  shop.snapshot('then')
  await addCheckout(simulator, 'shop')
  const others = [() => void simulator.create({ name: 'Shop' }), () => void shop.snapshot('Then')]
  // macOS and Windows treat them as the same name.
  const isOneFile = existsSync(join(data, 'SHOP.SQLITE'))
  const refused = /^The name (Shop|Then) differs from another one in case only/
  for (const make of others) isOneFile ? expect(make).toThrow(refused) : make()
  const again = await open()
  expect(await checkouts(again, 'shop')).toBe(1)
  again.find('shop').restore('then')
  expect(await checkouts(again, 'shop')).toBe(0)
})

test('a start does not change an up-to-date file, so that it works on a full disk', async () => {
  const { data, open, close } = keeper()
  const simulator = await open()
  simulator.create({ name: 'shop', refundDelay: '1h', webhook: { url: 'http://127.0.0.1:9/' } })
  await close()
  const files = ['default.sqlite', 'shop.sqlite'].map((file) => join(data, file))
  const before = files.map((file) => readFileSync(file))
  await open()
  await close()
  expect(files.map((file, index) => readFileSync(file).equals(before[index]!))).toEqual([true, true])
})

describe('a file that appears while paysim runs', () => {
  test('is set aside when a sandbox with its name is created', async () => {
    const { data, open, files } = keeper()
    const simulator = await open()
    writeFileSync(join(data, 'mine.sqlite'), 'mine')
    simulator.create({ name: 'mine' })
    expect(files()).toContain('mine.sqlite.set-aside-1')
    await addCheckout(simulator, 'mine')
  })
})

describe('restore and snapshot', () => {
  test('a damaged snapshot is refused, and the sandbox stays unchanged', async () => {
    const { data, open } = keeper()
    const simulator = await open()
    const shop = simulator.find('default')
    await addCheckout(simulator, 'default')
    shop.snapshot('then')
    const file = join(data, 'snapshots/default/then.sqlite')
    const whole = readFileSync(file)
    shop.arm([{ id: 'kept', do: { delay: 0 } }])
    for (const damaged of [
      whole.subarray(0, 30_000),
      Buffer.from(whole).fill(9, 8_192),
      whole.subarray(0, 100),
    ]) {
      writeFileSync(file, damaged)
      expect(() => shop.restore('then')).toThrow(/Invalid snapshot/)
      expect(await checkouts(simulator, 'default')).toBe(1)
      expect(shop.behaviors()).toHaveLength(1)
    }
    writeFileSync(file, whole)
    shop.restore('then')
    expect(await checkouts(await open(), 'default')).toBe(1)
  })

  test('an empty snapshot is not listed, and a failed snapshot leaves the previous one with its name', async () => {
    const { data, open } = keeper()
    const simulator = await open()
    const shop = simulator.find('default')
    const { bytes } = shop.snapshot('good')
    const at = (file: string) => join(data, 'snapshots/default', file)
    writeFileSync(at('empty.sqlite'), '')
    // A folder with this name, so that the file cannot be written.
    mkdirSync(at('good.sqlite.unfinished'))
    writeFileSync(at('good.sqlite.unfinished/in-the-way'), '')
    expect(() => shop.snapshot('good')).toThrow()
    expect(shop.snapshots.list()).toEqual([{ name: 'good', bytes }])
    shop.restore('good')
  })
})

test('a sandbox with files that cannot be removed stays unchanged, and can be removed later', async () => {
  const { data, open, names, files } = keeper()
  const simulator = await open()
  simulator.create({ name: 'shop' })
  await addCheckout(simulator, 'shop')
  const inTheWay = join(data, 'shop.sqlite.removed')
  mkdirSync(inTheWay)
  expect(() => simulator.remove('shop')).toThrow('EISDIR')
  expect([names(), await checkouts(simulator, 'shop')]).toEqual([['default', 'shop'], 1])

  rmdirSync(inTheWay)
  simulator.remove('shop')
  expect(names()).toEqual(['default'])
  await open()
  expect(names()).toEqual(['default'])
  expect(files().filter((file) => file.startsWith('shop'))).toEqual([])
})

describe('only one process uses a data folder', () => {
  test('even if the lock file was removed', async () => {
    const { data, open } = keeper()
    const simulator = await open()
    rmSync(join(data, 'paysim.lock'))
    expect(() => createSimulator({ data })).toThrow(
      `${join(data, 'default.sqlite')} is in use by another program. End it, or give each paysim its own folder.`,
    )
    await addCheckout(simulator, 'default')
  })

  test('the error names a database that another program has locked', async () => {
    const { data, open } = keeper()
    await (await open()).close()
    const file = join(data, 'default.sqlite')
    const locker = new Database(file)
    locker.exec('BEGIN EXCLUSIVE')
    expect(() => createSimulator({ data })).toThrow(
      `${file} is in use by another program. End it, or give each paysim its own folder.`,
    )
    locker.close()
    await open()
  })

  test('a database that another program has locked gets 503 until it is free, and is not logged as a bug', async () => {
    const { data, open } = keeper()
    const first = await open()
    first.create({ name: 'shop' })
    await first.close()
    const simulator = await open()
    const locker = new Database(join(data, 'shop.sqlite'))
    locker.exec('BEGIN EXCLUSIVE')
    const asked = () => simulator.fetch(new Request('http://paysim/_sim/sandboxes/shop/clock'))
    const refused = await asked()
    expect([refused.status, await refused.text()]).toEqual([
      503,
      expect.stringContaining('shop.sqlite is in use by another program: nothing was changed'),
    ])
    locker.close()
    expect((await asked()).status).toBe(200)
  })

  test('the error names a lock file that is invalid', async () => {
    const data = folder()
    writeFileSync(join(data, 'paysim.lock'), 'garbage'.repeat(1_000))
    expect(() => createSimulator({ data })).toThrow(
      `${join(data, 'paysim.lock')} is not the lock file of a paysim; remove it and start again.`,
    )
    rmSync(join(data, 'paysim.lock'))
    mkdirSync(join(data, 'paysim.lock'))
    expect(() => createSimulator({ data })).toThrow(
      `${join(data, 'paysim.lock')} cannot be locked; --data needs a folder whose files this user can write to.`,
    )
    expect(existsSync(join(data, 'default.sqlite'))).toBe(false)
  })
})

describe('while the data folder is unavailable', () => {
  const away: Record<string, (data: string) => () => void> = {
    'is moved': (data) => {
      renameSync(data, `${data}-moved`)
      return () => renameSync(`${data}-moved`, data)
    },
    'is replaced by another folder': (data) => {
      renameSync(data, `${data}-moved`)
      mkdirSync(data)
      return () => {
        rmSync(data, { recursive: true })
        renameSync(`${data}-moved`, data)
      }
    },
    'loses its files': (data) => {
      const files = ['default.sqlite', 'default.sqlite-wal']
      for (const file of files) renameSync(join(data, file), join(data, `${file}-moved`))
      return () => {
        for (const file of files) renameSync(join(data, `${file}-moved`), join(data, file))
      }
    },
  }

  test.for(Object.entries(away))(
    'because it %s, paysim returns 503 with the reason',
    async ([, takeAway]) => {
      const { data, open } = keeper()
      await (await open()).create({ name: 'asleep' })
      const simulator = await open()
      await addCheckout(simulator, 'default')
      const call = asPlatform(simulator, simulator.find('default'))
      const ready = () => simulator.fetch(new Request('http://paysim.test/readyz'))

      const putBack = takeAway(data)
      const reason = expect.stringMatching(/^\S+ was moved or removed: nothing was changed/)
      for (const answer of [await call('POST', '/v1/checkouts', order()), await call('GET', '/v1/checkouts')])
        expect(answer).toMatchObject({ status: 503, body: { message: reason } })
      const notReady = await ready()
      expect([notReady.status, await notReady.json()]).toEqual([
        503,
        expect.objectContaining({ message: reason }),
      ])
      if (!existsSync(join(data, 'paysim.lock'))) {
        expect(() => simulator.create({ name: 'new' })).toThrow('was moved or removed')
        expect(() => simulator.find('asleep')).toThrow('was moved or removed')
        expect(() => simulator.remove('asleep')).toThrow('was moved or removed')
      }

      putBack()
      expect((await ready()).status).toBe(200)
      await addCheckout(simulator, 'default')
      expect(await checkouts(await open(), 'default')).toBe(2)
    },
  )
})
