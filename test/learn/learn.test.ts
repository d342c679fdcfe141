/** What is learned of a service whose profile is secret: nine in ten of its keys or more, and none that is wrong. */
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createSimulator, type SimulatorOptions } from '../../src/index.ts'
import { Lessons, learnedText } from '../../src/tools/commands/lessons.ts'
import { parseProfile } from '../../src/tools/commands/profile.ts'
import { startOwn } from '../../src/tools/compose-server.ts'
import type { ServiceExchange } from '../../src/tools/learn/evidence.ts'
import { LEARNING_RULES, type Learned, learn } from '../../src/tools/learn/learn.ts'
import { OWN_FIELDS } from '../../src/tools/learn/reading.ts'
import { STATE_TOLD } from '../../src/tools/learn/rules/resources.ts'
import { playCommand } from '../../src/tools/player/command.ts'
import { OTHER_WORDS } from '../contract/different-profile.ts'
import { ORDER } from '../order.ts'
import { folderOf } from '../scenarios/playing.ts'
import { comparedWith } from './compared-with.ts'

const TOUR = join(import.meta.dirname, '../../scenarios/tour.yaml')

async function played(
  profile: SimulatorOptions['profile'],
  paths = [TOUR],
  goesOn = false,
  lines: string[] = [],
): Promise<Learned> {
  const service = createSimulator({ profile })
  onTestFinished(() => service.close())
  const { url } = await service.listen()
  const lessons = new Lessons(undefined)
  await playCommand(
    { paths, target: url, compare: true, tags: [], reports: [], rateLimit: 'off' },
    {
      out: (line) => lines.push(line),
      err: (line) => lines.push(line),
      color: false,
      env: {},
      startOwn,
      lessons,
      learnsProfile: goesOn,
    },
  )
  return lessons.learned()
}

/** The rules of which the secret profile has no key. */
const UNTAUGHT = ['times', 'requests']

/** What a platform that follows the tour cannot see: no path leads there, and nothing of it can be provoked. */
const UNSEEN = ['errors.names.500', 'paths.events.list', 'paths.events.get']

test('every secret key that a platform can see is learned from one scenario that is compared, and none is wrong', async () => {
  const secret = {
    ...OTHER_WORDS,
    fields: {
      checkout: {
        amountRefunded: 'refunded',
        checkoutUrl: 'payUrl',
        confirmedAt: 'paid',
        canceledAt: 'dead',
      },
    },
    answers: { ...OTHER_WORDS.answers, currency: 'EUR', leaveOut: { customer: ['phone'] } },
    lists: { ...OTHER_WORDS.lists, size: 3, maxSize: 60 },
    idempotency: { ...OTHER_WORDS.idempotency, keptRefusals: [403, 404] as (403 | 404)[] },
    refunds: { delay: '9s' },
  }
  const learned = await played(secret)
  const { right, wrong, unknown } = comparedWith(secret, learned)
  expect({ wrong, unknown }).toEqual({ wrong: [], unknown: UNSEEN })
  // A new key of the profile adds one.
  expect(right.length).toBeGreaterThanOrEqual(57)
  expect(new Set(learned.keys.map(({ learner }) => learner))).toEqual(
    new Set(Object.keys(LEARNING_RULES).filter((name) => !UNTAUGHT.includes(name))),
  )
})

const REFUND = `
name: A refund
sandbox: { seed: 1, clock: { at: 2026-01-01T00:00:00Z } }
steps:
  - { call: POST /v1/checkouts, json: ${JSON.stringify(ORDER)}, capture: { checkout: $.id } }
  - call: POST /v1/checkouts/\${checkout}/confirm
  - { id: made, call: "POST /v1/checkouts/\${checkout}/refunds", key: "\${uuid:k}", json: { amount: 10 }, capture: { refund: $.id } }
  - { repeat: made }
`

test('requests are sent in the words that are known by then, also those of the next file', async () => {
  const secret = {
    fields: { checkout: { id: 'number' } },
    states: { refund: { pending: 'PROCESSING', completed: 'SUCCEEDED' } },
    // Each file has a sandbox of its own, in which the same seed draws the same key.
    idempotency: { replayHeader: 'x-again' },
  }
  const folder = await folderOf({
    '1.yaml': REFUND,
    '2.yaml': `${REFUND}  - { sim: { advance: 1m } }\n  - { call: "GET /v1/refunds/\${refund}" }\n`,
  })
  const { profile } = await played(secret, [folder], true)
  expect(profile).toMatchObject(secret)
})

const TWO_CHECKOUTS = `
name: Two checkouts
steps:
  - { call: POST /v1/checkouts, json: ${JSON.stringify(ORDER)}, capture: { one: $.id } }
  - { call: POST /v1/checkouts, json: ${JSON.stringify(ORDER)}, capture: { other: $.id } }
  - call: POST /v1/checkouts/\${one}/confirm
`

test('an id with a prefix of several words differs in its prefix alone', async () => {
  const lines: string[] = []
  const folder = await folderOf({ 'two.yaml': TWO_CHECKOUTS })
  await played({ ids: { prefixes: { checkout: 'chk_live_' } } }, [folder], true, lines)
  expect(lines.filter((line) => line.includes(' there, and '))).toEqual([
    '      $.id begins with chk_live_ there, and chk_ here',
    '  $.id begins with chk_live_ there, and chk_ here, 2 times, first in two.yaml step 1',
  ])
})

test('of a service with the defaults nothing is learned', async () => {
  const learned = await played(undefined)
  expect(learned.keys).toEqual([])
  expect(learned.seen.size).toBeGreaterThan(60)
})

test('a scenario with a refund’s delay of its own, as each recording has, teaches all but that delay', async () => {
  const refund = (amount: number) =>
    `  - { call: 'POST /v1/checkouts/\${one}/refunds', json: { amount: ${amount} } }\n`
  const own = TWO_CHECKOUTS.replace('steps:', 'sandbox: { refundDelay: 0s }\nsteps:')
  const folder = await folderOf({ 'own.yaml': `${own}${refund(1)}${refund(2)}  - call: GET /v1/refunds\n` })
  const profile = { ids: { prefixes: { refund: 're_' } }, states: { refund: { completed: 'DONE' } } }
  const { keys } = await played(profile, [folder])
  expect(keys.map(({ key, value }) => [key, value])).toEqual([
    ['ids.prefixes.refund', 're_'],
    ['states.refund.completed', 'DONE'],
  ])
})

const JSON_SENT = { 'content-type': 'application/json' }

test('a key of which two values were seen is left out and said', () => {
  const checkout = (status: string, id: string) => ({
    ...Object.fromEntries(OWN_FIELDS.checkout!.map((name) => [name, null])),
    ...{ id, status, createdAt: '2026-01-01T00:00:00Z' },
  })
  const created = (status: string, id: string): ServiceExchange => ({
    seenIn: `the answer with ${id}`,
    asked: { method: 'POST', target: '/v1/checkouts', headers: JSON_SENT, body: '{}' },
    theirs: { status: 201, headers: {}, body: JSON.stringify(checkout(status, id)) },
  })
  const { keys, remarks } = learn({
    exchanges: [created('OPEN', 'pay_aaaaaaaaaaaa'), created('NEW', 'pay_bbbbbbbbbbbb')],
    webhooks: [],
  })
  expect(keys.map(({ key, value }) => [key, value])).toEqual([
    ['ids.prefixes.checkout', 'pay_'],
    ['ids.length', 12],
    ['timestamps.milliseconds', false],
    ['answers.location', false],
  ])
  expect(remarks).toContain(
    'states.checkout.pending is left out: it was "OPEN" in the answer with pay_aaaaaaaaaaaa (pay_aaaaaaaaaaaa), ' +
      'and "NEW" in the answer with pay_bbbbbbbbbbbb (pay_bbbbbbbbbbbb).',
  )
})

test('a message without its word in braces is learned where it was seen twice and says nothing like the word', () => {
  const refused = (message: string, number: number): ServiceExchange => ({
    seenIn: `request ${number}`,
    asked: { method: 'POST', target: '/v1/checkouts/chk_1/refunds', headers: JSON_SENT, body: '{}' },
    theirs: { status: 409, headers: {}, body: JSON.stringify({ error: 'Conflict', message }) },
    ours: {
      status: 409,
      headers: {},
      body: JSON.stringify({ error: 'Conflict', message: 'Checkout is already fully refunded' }),
    },
  })
  const learnedOf = (...messages: string[]) =>
    learn({ exchanges: messages.map(refused), webhooks: [] }).keys.map(({ key, value }) => [key, value])
  expect(learnedOf('Nothing is left', 'Nothing is left')).toEqual([
    ['errors.texts.fullyRefunded', 'Nothing is left'],
  ])
  expect(learnedOf('Nothing is left')).toEqual([])
  expect(learnedOf('This checkout has nothing left', 'This checkout has nothing left')).toEqual([])
})

test('what is written is a profile that can be read, each key with what was seen', async () => {
  const learned = await played({ ids: { length: 32 }, states: { refund: { pending: 'WAITING' } } })
  const text = learnedText(learned)
  expect(parseProfile(text, 'learned.yaml')).toEqual({
    ids: { length: 32 },
    states: { refund: { pending: 'WAITING' } },
  })
  expect(text).toMatch(/^ {2}length: 32 {2}# D13, seen \d+ times, first in .+: chk_/m)
  expect(text).toMatch(/pending: WAITING {2}# D3, seen \d+ times, first in tour\.yaml step \d+: ref_/)
})

test('no two types of event tell the same state of one kind, by which they are told apart', () => {
  const told = Object.entries(STATE_TOLD).map(([type, state]) => `${type.split('.')[0]} ${state}`)
  expect(told).toEqual([...new Set(told)])
})
