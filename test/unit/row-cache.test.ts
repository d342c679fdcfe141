/** Rows that were read before are handed out as the database has them, also when the work that changed them was rolled back. */
import * as fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { createCheckout } from '../../src/service/domain/checkout.ts'
import { CHECKOUTS } from '../../src/service/store/checkouts.ts'
import { Database } from '../../src/service/store/sqlite.ts'
import { openStore } from '../../src/service/store/store.ts'

const open = () => openStore({}, { beforeCommit() {}, rolledBack() {}, workAdded() {} })

const body = {
  orderId: 'o-1',
  externalId: 'acme',
  amount: 1000,
  successUrl: 'https://shop.test/ok',
  cancelUrl: 'https://shop.test/no',
}

const customer = {
  id: 'cus_1',
  externalId: 'acme',
  name: null,
  email: null,
  phone: null,
  createdAt: 1,
  updatedAt: 1,
}

const ALL = CHECKOUTS.rows<[]>('ORDER BY seq DESC')

/** What work does, one after another, each to the row of a number. */
const someStep = fc.record({
  does: fc.constantFrom('insert', 'confirm', 'adopt', 'read', 'list'),
  row: fc.nat(3),
})
const someWork = fc.record({
  steps: fc.array(someStep, { maxLength: 6 }),
  ends: fc.constantFrom('well', 'in a refusal', 'in a bug'),
})

test('a row is handed out as it is in the database', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(someWork, { maxLength: 6 }), async (works) => {
      const store = open()
      const { checkouts } = store
      store.transactNow(() => store.customers.insert(customer))
      const inDatabase = (id: string) => checkouts.row(CHECKOUTS.byId, id)
      const pageInDatabase = () => checkouts.rows(ALL)
      const ids = [0, 1, 2, 3].map((row) => `chk_${row}`)
      const compare = () => {
        for (const id of ids) expect(checkouts.find(id)).toEqual(inDatabase(id))
        expect(checkouts.list({ limit: 20 }).data).toEqual(pageInDatabase())
      }
      const steps = {
        insert(id: string) {
          if (!inDatabase(id)) checkouts.insert(createCheckout(id, body as never, null, 1))
        },
        confirm(id: string) {
          const row = checkouts.find(id)
          if (row) checkouts.update({ ...row, status: 'confirmed', updatedAt: row.updatedAt + 1 })
        },
        adopt: () => checkouts.adopt(customer),
        read: (id: string) => checkouts.find(id),
        list: () => checkouts.list({ limit: 2 }),
      }
      const done = works.map(({ steps: list, ends }) =>
        store.transact((undo) => {
          for (const { does, row } of list) steps[does](ids[row]!)
          compare()
          if (ends === 'in a bug') throw new Error('bug')
          if (ends === 'in a refusal') undo()
          compare()
        }),
      )
      compare()
      const outcomes = await Promise.allSettled(done)
      expect(outcomes.map(({ status }) => status)).toEqual(
        works.map(({ ends }) => (ends === 'in a bug' ? 'rejected' : 'fulfilled')),
      )
      compare()
      store.close()
    }),
    { numRuns: 40 },
  )
})

test('a row that was not committed is not handed out', async () => {
  let size = 1
  const store = openStore(
    {},
    {
      beforeCommit: ({ settings }) => settings.put('size', 'x'.repeat(size)),
      rolledBack() {},
      workAdded() {},
    },
  )
  const { checkouts } = store
  store.transactNow(() => checkouts.insert(createCheckout('chk_1', body as never, null, 1)))
  store.limitPages(1)
  size = 1_000_000
  const confirmed = store.transact(() => {
    checkouts.update({ ...checkouts.find('chk_1')!, status: 'confirmed' })
    expect(checkouts.find('chk_1')).toMatchObject({ status: 'confirmed' })
  })
  await expect(confirmed).rejects.toMatchObject({ status: 503 })
  expect(checkouts.find('chk_1')).toMatchObject({ status: 'pending' })
  store.close()
})

test('a row that has not changed is the same object, which no reader can change', () => {
  const store = open()
  const { paymentMethods } = store
  const method = {
    id: 'pm_1',
    customerId: 'cus_1',
    type: 'card',
    status: 'attached',
    card: { brand: 'visa', last4: '4242' },
    bankAccount: null,
    createdAt: 1,
    updatedAt: 1,
    detachedAt: null,
  }
  store.transactNow(() => {
    store.customers.insert(customer)
    paymentMethods.insert(method as never)
  })
  const found = paymentMethods.find('pm_1')!
  expect(paymentMethods.list({ limit: 20 }).data[0]).toBe(found)
  expect(() => Object.assign(found, { status: 'detached' })).toThrow(TypeError)
  expect(() => Object.assign(found.card!, { last4: '0000' })).toThrow(TypeError)
  store.transactNow(() => paymentMethods.update({ ...found, status: 'detached' } as never))
  expect(paymentMethods.find('pm_1')).toMatchObject({ status: 'detached' })
  store.close()
})

test('a message that was cleared is not handed out', () => {
  const store = open()
  const message = {
    id: 'msg_1',
    channel: 'sms' as const,
    to: '+15550100',
    template: 'login_code' as never,
    subject: null,
    body: 'Your code is 123456.',
    relatedId: 'chk_1',
    code: '123456',
    createdAt: 1,
  }
  store.transactNow(() => store.outbox.insert(message))
  expect(store.outbox.find('msg_1')).toEqual(message)
  store.transactNow(() => store.outbox.clear())
  expect(store.outbox.find('msg_1')).toBeUndefined()
  store.close()
})

test('a list that is longer than the cache is read together', () => {
  const store = open()
  store.transactNow(() => {
    for (let number = 1; number <= 1_300; number += 1)
      store.customers.insert({ ...customer, id: `cus_${number}`, externalId: `biz-${number}` })
  })
  const statement = Object.getPrototypeOf(new Database(':memory:').prepare('SELECT 1'))
  const { get } = statement
  onTestFinished(() => void Object.assign(statement, { get }))
  let alone = 0
  statement.get = function (...values: unknown[]) {
    alone += 1
    return get.apply(this, values)
  }
  expect(store.customers.list({ limit: 1_300 }).data).toHaveLength(1_300)
  expect(alone).toBe(0)
  store.close()
})
