/**
 * The same steps in both environments, with their results. `shortcuts.test.ts` runs them, and docs/environments.md shows them as
 * a table.
 */

import type { Address } from '../../src/server/simulator/simulator.ts'
import type { Environment } from '../../src/spec/environments/environment.ts'
import type { SandboxControl } from '../../src/tester/control/control.ts'
import { asPlatform, type Call, order } from '../control/shop.ts'
import { ADA, BuyersBrowser } from './buyer.ts'

interface Stage {
  shop: SandboxControl
  call: Call
  /** The page of a new checkout. */
  buyer(amount?: number): Promise<BuyersBrowser>
  /** The page of a new checkout, with a buyer who has logged in and chosen a method. */
  paying(method: 'card' | 'bank_account', amount?: number): Promise<BuyersBrowser>
}

export interface Step extends Record<Environment, string> {
  step: string
  take(stage: Stage): Promise<string>
}

const CONTACT = 'ada@example.test'
const CARD = { expiry: '12/34', cvc: '123' }
const ACCOUNT = { routing: '071928467', account: '4827193056' }

/** The seed of production's scores, so that the table is stable. */
export const SEED = 1

export function stageOf(address: Address, shop: SandboxControl): Stage {
  const call = asPlatform(address, shop)
  let orders = 0
  const buyer: Stage['buyer'] = async (amount = 1000) => {
    orders += 1
    const { body } = await call('POST', '/v1/checkouts', order(amount, `order-${orders}`))
    return new BuyersBrowser(address, body.checkoutUrl)
  }
  return {
    shop,
    call,
    buyer,
    async paying(method, amount) {
      const browser = await asked(buyer, amount)
      await browser.submit('code', { code: codeIn(shop) })
      await browser.submit('method', { method })
      return browser
    },
  }
}

/** The page of a new checkout, with a buyer who asked for a code. */
async function asked(buyer: Stage['buyer'], amount?: number): Promise<BuyersBrowser> {
  const browser = await buyer(amount)
  await browser.open()
  await browser.submit('log-in', { contact: CONTACT })
  return browser
}

const codeIn = (shop: SandboxControl) =>
  shop.outbox().findLast(({ template }) => template === 'login_code')!.code!

const answerOf = ({ status, body }: Awaited<ReturnType<Call>>) =>
  status < 300 ? `${status} ${body.status}` : `${status} ${body.message}`

const cardWith = (number: string) => async (stage: Stage) => {
  const page = await (await stage.paying('card')).submit('card', { number, ...CARD })
  return page.problems[0] ?? 'accepted'
}

const applying = (fields: Partial<typeof ADA>, amount?: number) => async (stage: Stage) => {
  const page = await (await stage.paying('bank_account', amount)).submit('application', { ...ADA, ...fields })
  return (
    page.problems[0] ??
    stage.shop
      .outbox()
      .at(-1)!
      .body.replace(/^Your application for (\S+) was /, '$1 ')
  )
}

const accountWith = (fields: Partial<typeof ACCOUNT>) => async (stage: Stage) => {
  stage.shop.arm({ when: { json: { about: 'credit' } }, optional: true, do: { decision: 'approve' } })
  const browser = await stage.paying('bank_account')
  await browser.submit('application', ADA)
  const page = await browser.submit('bank', { ...ACCOUNT, ...fields })
  return page.problems[0] ?? 'accepted'
}

const OPEN_ORDER = order(1000, 'o-open')

export const STEPS: readonly Step[] = [
  {
    step: 'The key of the sandbox `default`',
    async take({ shop }) {
      return shop.apiKey.replace(/_[^_]*$/, '_…')
    },
    staging: 'sk_staging_…',
    production: 'sk_live_…',
  },
  {
    step: 'Confirm a checkout that no buyer approved',
    async take({ call }) {
      const { body } = await call('POST', '/v1/checkouts', OPEN_ORDER)
      return answerOf(await call('POST', `/v1/checkouts/${body.id}/confirm`))
    },
    staging: '200 confirmed',
    production: '409 Checkout is not approved by the buyer yet',
  },
  {
    step: 'Confirm it after a buyer approved',
    async take({ call, shop }) {
      const { body } = await call('POST', '/v1/checkouts', OPEN_ORDER)
      shop.buyer.approve(body.id)
      return answerOf(await call('POST', `/v1/checkouts/${body.id}/confirm`))
    },
    staging: '200 confirmed',
    production: '200 confirmed',
  },
  {
    step: 'Authorize for a customer without a card',
    async take({ call }) {
      await call('POST', '/v1/customers', { externalId: 'new' })
      return answerOf(await call('POST', '/v1/authorizations', { externalId: 'new', amount: 10 }))
    },
    staging: '201 authorized',
    production: '409 Customer is without a card',
  },
  {
    step: 'Create with the header `X-Sim: respond=503`',
    take: async ({ call }) =>
      answerOf(await call('POST', '/v1/checkouts', OPEN_ORDER, { 'x-sim': 'respond=503' })),
    staging: '503 Service Unavailable',
    production: '201 pending',
  },
  {
    step: 'Help with test values on the hosted page',
    async take({ buyer }) {
      const { text } = await (await buyer()).open()
      return text.includes('what to type here') ? 'shown' : 'none'
    },
    staging: 'shown',
    production: 'none',
  },
  {
    step: 'The strip at the top of the page',
    async take({ buyer }) {
      const { text } = await (await buyer()).open()
      return /<section class="strip[^>]*>(.*?)<\/section>/s.exec(text)![1]!.replace(/<[^>]+>/g, '')
    },
    staging: 'Staging. No money moves and no message is sent. Use test details only.',
    production: 'A simulation of production. No money moves and no message leaves this machine.',
  },
  {
    step: 'Log in with `000000`',
    async take({ buyer }) {
      const browser = await asked(buyer)
      const page = await browser.submit('code', { code: '000000' })
      return page.problems[0] ?? 'logged in'
    },
    staging: 'logged in',
    production: 'This is not the code. You have 4 more tries.',
  },
  {
    step: 'Log in with the code in the outbox',
    async take({ buyer, shop }) {
      const browser = await asked(buyer)
      const page = await browser.submit('code', { code: codeIn(shop) })
      return page.problems[0] ?? 'logged in'
    },
    staging: 'logged in',
    production: 'logged in',
  },
  {
    step: 'The message with the code, in the outbox',
    async take({ buyer, shop }) {
      await asked(buyer)
      return shop.outbox().at(-1)!.wouldBeSent ? 'captured; would have been sent' : 'captured'
    },
    staging: 'captured',
    production: 'captured; would have been sent',
  },
  {
    step: '`Test Approved` applies for a million',
    take: applying({ first: 'Test', last: 'Approved' }, 1_000_000),
    staging: '$1,000,000.00 approved. Test Approved is always approved, for any amount and without a check.',
    production:
      '$1,000,000.00 declined. A score of 674 allows up to $50,000.00, and this order is $1,000,000.00.',
  },
  {
    step: 'A national ID that ends in `0000`',
    take: applying({ nationalId: '212-38-0000' }, 100_000),
    staging: '$100,000.00 approved. A score of 800 allows up to $250,000.00.',
    production: 'This is not a national ID. Check each digit.',
  },
  {
    step: 'The national ID `666-00-1234`',
    take: applying({ nationalId: '666-00-1234' }),
    staging: '$1,000.00 approved. A score of 650 allows up to $25,000.00.',
    production: 'This is not a national ID. Check each digit.',
  },
  {
    step: 'Ada Buyer, `212-38-4718`, applies for 30,000.00',
    take: applying({}, 30_000),
    staging: '$30,000.00 declined. A score of 650 allows up to $25,000.00, and this order is $30,000.00.',
    production: '$30,000.00 approved. A score of 850 allows up to $250,000.00.',
  },
  {
    step: 'Grace Clark, with the same number, for 1,000.00',
    take: applying({ first: 'Grace', last: 'Clark' }, 1000),
    staging: '$1,000.00 approved. A score of 650 allows up to $25,000.00.',
    production: '$1,000.00 declined. A score of 556 is below 580, so no credit is given.',
  },
  {
    step: 'The card `4242 4242 4242 4242`',
    take: cardWith('4242 4242 4242 4242'),
    staging: 'accepted',
    production: 'The bank declined this card: it is a test card. Use another one.',
  },
  {
    step: 'Another card that passes the Luhn check',
    take: cardWith('4539 6281 7309 2453'),
    staging: 'accepted',
    production: 'accepted',
  },
  {
    step: 'The routing number `222222226`',
    take: accountWith({ routing: '222222226' }),
    staging: 'accepted',
    production: 'The bank declined this account: its routing number is for tests. Use another one.',
  },
  {
    step: 'A routing number of no district, `520000001`',
    take: accountWith({ routing: '520000001' }),
    staging: 'accepted',
    production: 'This is not a bank’s routing number. Check each digit.',
  },
  {
    step: 'The account number `000123456789`',
    take: accountWith({ account: '000123456789' }),
    staging: 'accepted',
    production: 'This is not an account number. Check each digit.',
  },
  {
    step: 'Another account',
    take: accountWith({}),
    staging: 'accepted',
    production: 'accepted',
  },
  {
    step: 'A behavior with `decision: decline` and a reason',
    async take(stage) {
      stage.shop.arm({ do: { decision: 'decline', reason: 'it is over its limit' } })
      return cardWith('4539 6281 7309 2453')(stage)
    },
    staging: 'The bank declined this card: it is over its limit. Use another one.',
    production: 'The bank declined this card: it is over its limit. Use another one.',
  },
  {
    step: 'A behavior with `decision: approve`, and a test card',
    async take(stage) {
      stage.shop.arm({ do: { decision: 'approve' } })
      return cardWith('4242 4242 4242 4242')(stage)
    },
    staging: 'accepted',
    production: 'accepted',
  },
]
