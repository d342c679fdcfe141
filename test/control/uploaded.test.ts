/** A snapshot that was uploaded is looked into before anything else reads it. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { createSimulator } from '../../src/index.ts'
import { Database } from '../../src/service/store/sqlite.ts'
import { ORDER } from '../order.ts'

const simulator = createSimulator({ rateLimit: 'off', seed: 1, clock: 'frozen@2026-01-01T00:00:00Z' })
afterAll(() => simulator.close())
const shop = simulator.sandbox('default')
const platform = async (method: string, path: string, body: object) => {
  const headers = { 'x-api-key': shop.apiKey, 'content-type': 'application/json', 'idempotency-key': path }
  const request = new Request(`http://paysim.test${path}`, { method, headers, body: JSON.stringify(body) })
  return (await simulator.fetch(request)).json() as Promise<{ id: string }>
}

/** Every kind of row: a refund and a delivery that wait among them. */
async function snapshot(): Promise<Uint8Array> {
  shop.webhook.put({ url: 'http://127.0.0.1:9/' })
  const { id } = await platform('POST', '/v1/checkouts', ORDER)
  shop.buyer.approve(id)
  await platform('POST', `/v1/checkouts/${id}/confirm`, {})
  await platform('POST', `/v1/checkouts/${id}/refunds`, { amount: 1 })
  await platform('POST', '/v1/customers', { externalId: 'other' })
  shop.snapshot('whole')
  return shop.snapshots.get('whole')
}
const whole = await snapshot()

function changed(change: (db: Database) => void): Uint8Array {
  const db = new Database(Buffer.from(whole))
  try {
    change(db)
    return db.serialize()
  } finally {
    db.close()
  }
}
const spoiled = (...statements: string[]) =>
  changed((db) => {
    db.pragma('foreign_keys = OFF')
    db.pragma('ignore_check_constraints = ON')
    db.unsafeMode()
    db.pragma('writable_schema = ON')
    for (const sql of statements) db.exec(sql)
  })
const set = (name: string, value: unknown) =>
  changed((db) => {
    db.prepare('INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)').run(name, JSON.stringify(value))
  })

test('one that paysim made is accepted, under any name, and a sandbox goes on from it', () => {
  expect(shop.snapshots.put('again', whole)).toEqual({ name: 'again', bytes: whole.length })
  const fork = simulator.create({ from: whole })
  onTestFinished(() => simulator.remove(fork.name))
  expect(fork.ledger().sums).toEqual(shop.ledger().sums)
})

const data = mkdtempSync(join(tmpdir(), 'paysim-uploaded-'))
const kept = createSimulator({ data, rateLimit: 'off', log: 'silent' })
afterAll(async () => {
  await kept.close()
  rmSync(data, { recursive: true })
})

/** With a folder for sandboxes, an upload is written to a file as it arrives, and is checked there. */
async function uploadToFile(bytes: Uint8Array) {
  const body = Buffer.from(bytes)
  const request = new Request('http://paysim.test/_sim/snapshots/uploaded', { method: 'PUT', body })
  const answer = await kept.fetch(request)
  const { message, ...described } = (await answer.json()) as { message?: string }
  if (message !== undefined) {
    expect(answer.status).toBe(400)
    expect(readdirSync(join(data, 'snapshots/default'))).toEqual([])
    throw new Error(message)
  }
  return described
}

test('one that paysim made is accepted into a file, and leaves it as it came', async () => {
  expect(await uploadToFile(whole)).toEqual({ name: 'uploaded', bytes: whole.length })
  const answer = await kept.fetch(new Request('http://paysim.test/_sim/snapshots/uploaded'))
  expect(new Uint8Array(await answer.arrayBuffer())).toEqual(whole)
  kept.find('default').restore('uploaded')
  expect(kept.find('default').ledger().sums).toEqual(shop.ledger().sums)
  kept.find('default').snapshots.remove('uploaded')
})

test('one whose sender leaves in the middle leaves nothing', async () => {
  async function* half() {
    yield whole.subarray(0, 20_000)
    throw new Error('gone')
  }
  await expect(kept.find('default').writeSnapshot('uploaded', half())).rejects.toThrow('gone')
  expect(readdirSync(join(data, 'snapshots/default'))).toEqual([])
})

test('one whose sandbox is removed meanwhile is refused', async () => {
  const gone = kept.create({ name: 'gone' })
  async function* late() {
    yield whole
    kept.remove('gone')
  }
  await expect(gone.writeSnapshot('uploaded', late())).rejects.toThrow('Sandbox not found')
})

describe('refused is one with', () => {
  test.each<[string, () => Uint8Array, RegExp]>([
    [
      'a trigger that doubles amounts',
      () =>
        spoiled(
          'CREATE TRIGGER t AFTER INSERT ON ledger BEGIN UPDATE ledger SET amount = amount * 2 WHERE seq = new.seq; END',
        ),
      /has trigger t/,
    ],
    [
      'a trigger that never ends',
      () =>
        spoiled(
          'CREATE TRIGGER t AFTER INSERT ON events BEGIN SELECT count(*) FROM (WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT n FROM r); END',
        ),
      /has trigger t/,
    ],
    ['a view', () => spoiled('CREATE VIEW v AS SELECT 1'), /has view v/],
    ['another table', () => spoiled('CREATE TABLE t (a)'), /has table t/],
    ['another index', () => spoiled('CREATE INDEX i ON events (id)'), /has index i/],
    [
      'a version to come, whose checks are not looked at',
      () =>
        spoiled('CREATE TABLE t (a CHECK (a > 1))', 'INSERT INTO t VALUES (1)', 'PRAGMA user_version = 999'),
      /it was written by a newer paysim \(schema 999/,
    ],
    [
      'a version before the first, whose schema is not changed',
      () =>
        spoiled('CREATE TABLE t (a CHECK (a > 1))', 'INSERT INTO t VALUES (1)', 'PRAGMA user_version = -5'),
      /it is not the database of a sandbox/,
    ],
    ['one index fewer', () => spoiled('DROP INDEX agenda_by_subject'), /lacks a table or an index/],
    ['another default', () => spoiled('ALTER TABLE events ADD COLUMN more TEXT'), /has table events/],
    ['work without a subject', () => spoiled(`UPDATE agenda SET subject = 'ref_nope'`), /work for a/],
    ['work of another kind', () => spoiled(`UPDATE agenda SET kind = 'nope'`), /row of agenda/],
    [
      'work for a refund that is done',
      () => spoiled(`UPDATE refunds SET status = 'completed', completedAt = 1`),
      /work for a refund/,
    ],
    [
      'the same work twice',
      () => spoiled('INSERT INTO agenda (dueAt, kind, subject) SELECT dueAt, kind, subject FROM agenda'),
      /the same work twice/,
    ],
    ['work at no time', () => spoiled('UPDATE agenda SET dueAt = -1'), /work without a time/],
    [
      'a refund of no checkout',
      () => spoiled(`UPDATE refunds SET checkoutId = 'chk_nope'`),
      /row of refunds names one of checkouts/,
    ],
    [
      'a status that is none',
      () => spoiled(`UPDATE checkouts SET status = 'nope'`),
      /damaged|row of checkouts/,
    ],
    ['a template that is none', () => spoiled(`UPDATE outbox SET template = 'nope'`), /row of outbox/],
    ['an event that is none', () => spoiled(`UPDATE events SET type = 'nope'`), /row of events/],
    ['an event that is no JSON', () => spoiled(`UPDATE events SET body = '{'`), /an event that is no JSON/],
    [
      'a time that no calendar has',
      () => spoiled('UPDATE customers SET createdAt = 9000000000000000'),
      /row of customers/,
    ],
    [
      'an answer that is no JSON',
      () => spoiled(`UPDATE answers SET request = '{'`),
      /an answer that is no JSON/,
    ],
    [
      'a location over two lines',
      () => spoiled(`UPDATE answers SET location = 'a' || char(13, 10) || 'b: c'`),
      /a location that is none/,
    ],
    ['a clock that is a text', () => set('clock', 'noon'), /setting clock/],
    ['a clock at NaN', () => set('clock', { frozenAt: Number.NaN, offsetMs: null }), /setting clock/],
    ['a generator that is none', () => set('random', [1]), /setting random/],
    ['an endpoint that is a text', () => set('webhook', 'http://x'), /setting webhook/],
    [
      'an endpoint of another scheme',
      () =>
        set('webhook', {
          url: 'file:///etc/passwd',
          secret: 'whsec_cGF5c2ltLXN0YWdpbmctc2lnbmluZy1zZWNyZXQtMDE=',
          events: ['*'],
          disabledAt: null,
        }),
      /setting webhook/,
    ],
    [
      'deliveries without end that behaviors remember',
      () =>
        spoiled(
          `INSERT INTO behavior_state (kind, name, value) VALUES ('held back delivery', 'evt_1', '{"copies":1e9,"afterMs":0,"afterNextEvent":false}')`,
        ),
      /behaviors remember is wrong: held back delivery/,
    ],
    [
      'a behavior that is none',
      () => spoiled(`INSERT INTO behavior_state (kind, name, value) VALUES ('armed', '1', '{"id":1}')`),
      /behaviors remember is wrong: armed/,
    ],
    ['a setting of its own', () => set('mine', 1), /setting mine/],
    ['no clock', () => spoiled(`DELETE FROM settings WHERE name = 'clock'`), /setting clock is missing/],
    [
      'a page that is damaged',
      () => {
        const bytes = Buffer.from(whole)
        bytes.fill(0xff, 8192, 8300)
        return bytes
      },
      /damaged|not the database|row of/,
    ],
    ['no pages', () => new Uint8Array(0), /not the database/],
  ])('%s', async (_, made, why) => {
    await expect(uploadToFile(made())).rejects.toThrow(why)
    expect(() => shop.snapshots.put('bad', made())).toThrow(why)
    expect(() => simulator.create({ from: made() })).toThrow('Invalid snapshot')
    expect(shop.snapshots.list().map(({ name }) => name)).not.toContain('bad')
  })
})
