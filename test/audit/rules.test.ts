/** For each rule: runs in which it must report a finding, and runs in which it must not. */
import { describe, expect, it } from 'vitest'
import { AUDIT_RULES } from '../../src/spec/contract/audit-rules.ts'
import { fromMajor } from '../../src/spec/contract/money.ts'
import { TROUBLES } from '../../src/tester/audit/coverage.ts'
import { auditOf, judgePicture } from '../../src/tester/audit/judge.ts'
import type { Picture } from '../../src/tester/audit/picture.ts'
import { RULES } from '../../src/tester/audit/rules.ts'
import {
  attempt,
  inFlight,
  KEY,
  lost,
  order,
  pictureOf,
  read,
  refund,
  replayed,
  type Sent,
  startedAt,
  underOtherKey,
  webhook,
} from './picture.ts'

interface Cases {
  found: Record<string, readonly Sent[] | Picture>
  silent: Record<string, readonly Sent[] | Picture>
}

/** The audit of a list of requests, or of a picture that also has deliveries and resources. */
const judged = (picture: readonly Sent[] | Picture) =>
  auditOf(judgePicture('requests' in picture ? picture : pictureOf(picture)))
const delivered = (...deliveries: Picture['deliveries']) => pictureOf([], { deliveries })

const DAY_MS = 86_400_000
const times = (count: number, sent: Sent): Sent[] => Array.from({ length: count }, () => sent)
const page = (nextCursor: string | null, ...ids: string[]) =>
  JSON.stringify({ data: ids.map((id) => ({ id })), hasMore: nextCursor !== null, nextCursor })
const readRefunds = (given: Sent = {}) =>
  read('checkouts.refunds', '/v1/checkouts/chk_1/refunds', 'chk_1', given)
const readCheckout = (given: Sent = {}) => read('checkouts.get', '/v1/checkouts/chk_1', 'chk_1', given)
const list = (answer: string, given: Sent = {}) =>
  read('refunds.list', '/v1/refunds', null, { answer, ...given })
/** A refund that is answered 503, and tried again after each pause until it succeeds. */
const retried = (...pauses: number[]): Sent[] => [
  refund({ status: 503 }),
  ...pauses.slice(0, -1).map((afterMs) => refund({ status: 503, afterMs })),
  refund({ afterMs: pauses.at(-1)! }),
]
const getRefund = (given: Sent = {}) =>
  read('refunds.get', '/v1/refunds/ref_1', 'ref_1', { answer: '{"status":"pending"}', ...given })
const completed = {
  id: 'ref_1',
  amount: fromMajor(10),
  createdAt: startedAt(0),
  completedAt: startedAt(1000),
}
const limited = (given: Sent = {}) => refund({ status: 429, retryAfterMs: 30_000, ...given })
const of = (checkout: string, given: Sent = {}) => ({ ...given, target: `/v1/checkouts/${checkout}/refunds` })
/** A limited request, and then one of each of three other checkouts. */
const burst = (given: Sent) => [limited(), ...['chk_2', 'chk_3', 'chk_4'].map((id) => limited(of(id, given)))]
/** A refund that completed after these requests, and the deliveries of its event. */
const completedIn = (sent: readonly Sent[], ...deliveries: Picture['deliveries']) =>
  pictureOf(sent, { completedRefunds: [completed], deliveries })
const DAYS_LATER = order({ afterMs: 2 * DAY_MS })
/** The same refund at the endpoint that takes the checkout in the body. */
const elsewhere = (given: Sent = {}) =>
  refund({
    target: '/v1/refunds',
    operation: 'refunds.create',
    body: '{"checkoutId":"chk_1", "amount":10.00}',
    events: ['evt_elsewhere'],
    ...given,
  })
const KEPT = [refund({ status: 409 }), ...times(2, replayed({ status: 409 }))]
const unkeyed = { key: null, verdict: 'no key' }

const CASES: Record<string, Cases> = {
  C1: {
    found: {
      'a refund without a key': [refund(unkeyed)],
      'a confirm without a key and with a lost response': [
        lost({ ...unkeyed, operation: 'checkouts.confirm', target: '/v1/checkouts/chk_1/confirm', body: '' }),
        readCheckout(),
      ],
      'a refund without a key that was made twice': [
        lost({ ...unkeyed, events: ['evt_1'] }),
        refund({ ...unkeyed, events: ['evt_2'] }),
      ],
    },
    silent: {
      'a refund with a key': [refund()],
      'a refund without a key that was refused': [refund({ ...unkeyed, status: 400 })],
      'a checkout without a key, which moves no money': [order(unkeyed)],
    },
  },
  C2: {
    found: {
      'another key after a lost response': [lost(), underOtherKey()],
      'another key after a 503': [refund({ status: 503 }), underOtherKey()],
      'another key after a 429 to the retry of a lost response': [
        lost(),
        refund({ status: 429 }),
        underOtherKey(),
      ],
      'another key after a 409 in flight': [
        refund({ clientLeft: true, tookMs: 20_000 }),
        inFlight({ afterMs: -10_000 }),
        underOtherKey({ afterMs: 12_000 }),
      ],
      'another key at the flat refund endpoint': [lost(), elsewhere({ key: 'other' })],
      'another key after a read that failed': [lost(), readRefunds({ status: 503 }), underOtherKey()],
      'another key after a read with a lost response': [
        lost(),
        readRefunds({ fault: 'reset' }),
        underOtherKey(),
      ],
      'another key after a read while the first was in flight': [
        refund({ clientLeft: true, tookMs: 20_000 }),
        readRefunds({ afterMs: -10_000 }),
        underOtherKey({ afterMs: 12_000 }),
      ],
      'the same key at the flat endpoint, because keys belong to an endpoint': [lost(), elsewhere()],
    },
    silent: {
      'a refund of another checkout at the flat endpoint': [
        lost(),
        replayed(),
        elsewhere({ subject: 'chk_2', body: '{"checkoutId":"chk_2","amount":10}' }),
      ],
      'the same key after a lost response': [lost(), replayed()],
      'a second refund after the first one succeeded': [refund(), underOtherKey()],
      'a second refund after a retry of the lost refund': [lost(), replayed(), underOtherKey()],
      'another key after a read showed that nothing happened': [
        refund({ status: 500 }),
        readRefunds(),
        underOtherKey(),
      ],
      'another key for another checkout': [lost(), replayed(), underOtherKey(of('chk_2'))],
      'a lost read that is repeated under another key': [
        readCheckout({ key: 'one', fault: 'reset' }),
        readCheckout({ key: 'other' }),
      ],
      'another key after a refusal': [refund({ status: 400 }), underOtherKey()],
      'another key after a 429': [refund({ status: 429 }), underOtherKey()],
      'two equal refunds at the same time, and a retry of the first': [
        lost(),
        underOtherKey({ afterMs: 2 }),
        replayed(),
      ],
      'the same, and the retry is lost too': [lost(), underOtherKey({ afterMs: 2 }), lost({ events: [] })],
      'two equal refunds that overlap': [lost({ tookMs: 50 }), underOtherKey({ afterMs: -40 })],
      'two workers that each lost a response': [
        lost(),
        underOtherKey({ afterMs: 2, fault: 'reset' }),
        replayed(),
        underOtherKey({ verdict: 'replayed', events: [] }),
      ],
      'another equal refund after a double refund got its response': [
        refund({ tookMs: 1000 }),
        inFlight({ afterMs: -500, tookMs: 1 }),
        underOtherKey({ afterMs: 10_000 }),
      ],
      'an equal refund after a webhook reported the lost one': pictureOf(
        [lost(), underOtherKey({ afterMs: DAY_MS })],
        { deliveries: [webhook({ eventId: `evt_${KEY}` })] },
      ),
      'many customers, each with the same amount': ['1', '2', '3'].flatMap((n) => [
        lost(of(`chk_${n}`, { key: `${KEY}-${n}`, afterMs: 1 })),
        replayed(of(`chk_${n}`, { key: `${KEY}-${n}`, afterMs: 200 })),
      ]),
    },
  },
  C3: {
    found: {
      'a key with another amount': [
        refund(),
        refund({ status: 422, verdict: 'reused with another body', body: '{"amount":20}' }),
      ],
    },
    silent: {
      'the same body again': [refund(), replayed()],
      'the same key for another checkout': [refund(), refund(of('chk_2'))],
    },
  },
  C4: {
    found: {
      'the id of the order': [order({ key: 'order-17' })],
      'an e-mail address': [refund({ key: 'refund:ada@example.com' })],
      'a counter': [refund({ key: '17' })],
    },
    silent: {
      'a UUID': [order()],
      'a key with a time in it': [refund({ key: '1767225600000' })],
      'an order id with its purpose and a random part': [
        order(),
        refund({ key: 'order-17:refund:8f1d4a57' }),
      ],
    },
  },
  C5: {
    found: {
      'a retry on the next day': [refund(), refund({ afterMs: DAY_MS })],
    },
    silent: {
      'a retry within the day': [refund(), replayed({ afterMs: DAY_MS - 60_000 })],
      'a key after a fault refused its first request': [refund({ status: 503 }), refund({ afterMs: 1000 })],
    },
  },
  C6: {
    found: {
      'a lost response': [lost()],
      'a 503': [refund({ status: 503 })],
      'the client gave up after a 429, but the refund did happen': [lost(), limited({ events: [] })],
      'every response was lost, and the refund did happen': [lost(), lost({ events: [] })],
      'the client left': [refund({ clientLeft: true, tookMs: 30_000 })],
      'the read after the lost response failed': [lost(), readCheckout({ status: 401 })],
      'the read came too early': [
        refund({ clientLeft: true, tookMs: 30_000 }),
        readCheckout({ afterMs: -10_000 }),
      ],
    },
    silent: {
      'a retry with the same key': [lost(), replayed()],
      'the checkout was read': [lost(), readCheckout()],
      'the refunds were read': [lost(), list('{}')],
      'two workers that each retried': [
        lost(),
        underOtherKey({ afterMs: 2, fault: 'reset' }),
        replayed(),
        underOtherKey({ verdict: 'replayed', events: [] }),
      ],
      'a lost capture, followed by an unconditional void': [
        lost({
          operation: 'authorizations.capture',
          target: '/v1/authorizations/auth_1/capture',
          subject: 'auth_1',
        }),
        refund({
          operation: 'authorizations.void',
          target: '/v1/authorizations/auth_1/void',
          subject: 'auth_1',
          key: `${KEY}-void`,
        }),
      ],
      'a webhook reported it': pictureOf([lost()], { deliveries: [webhook({ eventId: `evt_${KEY}` })] }),
      'nothing happened, as several attempts show': [refund({ status: 503 }), refund({ status: 503 })],
      'a GET': [list('{}', { status: 503 })],
      'a refusal': [refund({ status: 400 })],
      'a refusal with an unreadable body': [refund({ status: 400, fault: 'bad-json' })],
      'it is under way': [refund({ status: null, answeredAt: null })],
      'a slow body that arrived': [refund({ fault: 'drip' })],
    },
  },
  C7: {
    found: {
      'a 409 after a timeout': [refund({ clientLeft: true, tookMs: 30_000 }), inFlight({ afterMs: -15_000 })],
      'a 409 alone': [inFlight()],
    },
    silent: {
      'it was sent again': [inFlight(), refund()],
      'two at the same time, and the first got a response': [
        refund({ tookMs: 1000 }),
        inFlight({ afterMs: -500, tookMs: 1 }),
      ],
      'it was read': [inFlight(), readCheckout()],
      'a 409 by state': [refund({ status: 409, answer: '{"message":"Checkout is canceled"}' })],
    },
  },
  C8: {
    found: {
      'two parallel retries': retried(3, 3),
      'four retries with the same pause': retried(500, 500, 500, 500),
      'the same short pause on a busy machine': retried(150, 190, 160, 170),
      'the same pause, once interrupted': retried(300, 310, 900, 305, 300),
    },
    silent: {
      'one immediate retry': [lost(), replayed({ afterMs: 3 })],
      'the same request again and again after its answer': [
        ...retried(500),
        ...times(4, replayed({ afterMs: 3 })),
      ],
      'pauses that grow': retried(100, 200, 400, 800),
      'pauses that grow up to a limit': retried(200, 400, 800, ...Array<number>(21).fill(1000)),
      'a timeout on each attempt, and growing pauses': [
        lost({ fault: 'hang' }),
        ...[4_100, 4_200, 4_400, 4_800].map((afterMs) => lost({ fault: 'hang', events: [], afterMs })),
        replayed({ afterMs: 5_600 }),
      ],
      'pauses by chance': retried(300, 150, 520, 110),
      'the same pause, but one of only four': retried(300, 310, 900, 305),
      'the pauses that Retry-After asks for': [
        ...times(5, refund({ status: 503, retryAfterMs: 1000, afterMs: 1000 })),
        refund({ afterMs: 1000 }),
      ],
      'a frozen clock that is advanced': [
        ...times(3, refund({ status: 503, afterMs: 1 })).map((request, index) => ({
          ...request,
          at: startedAt(1000 * 2 ** index),
          answeredAt: startedAt(1000 * 2 ** index),
        })),
        refund({ afterMs: 1, at: startedAt(8000), answeredAt: startedAt(8000) }),
      ],
      'other payments one after another': ['chk_1', 'chk_2', 'chk_3'].map((id) =>
        refund(of(id, { afterMs: 1 })),
      ),
      'the same request several times in parallel': [
        refund({ tookMs: 1000 }),
        inFlight({ afterMs: -900, tookMs: 1 }),
        inFlight({ afterMs: -1, tookMs: 1 }),
      ],
      'equal refunds of several workers, each with growing pauses': [
        refund({ status: 503 }),
        underOtherKey({ status: 503, afterMs: 1 }),
        refund({ status: 503, afterMs: 200 }),
        underOtherKey({ status: 503, afterMs: 1 }),
        refund({ afterMs: 400 }),
        underOtherKey({ afterMs: 1 }),
      ],
      'several workers that read one resource while the service is down': times(
        9,
        getRefund({ status: 503, afterMs: 1 }),
      ),
      'a job that tries again every minute': retried(...Array<number>(6).fill(60_000)),
    },
  },
  C9: {
    found: {
      'a retry one second into a wait of thirty': [limited(), refund({ afterMs: 1000 })],
    },
    silent: {
      'a retry after the wait': [limited(), refund({ afterMs: 30_000 })],
      'another request': [limited(), refund(of('chk_2', { afterMs: 10 }))],
      'an equal refund of another worker': [
        limited(),
        underOtherKey({ afterMs: 10 }),
        refund({ afterMs: 30_000 }),
      ],
      'another worker that reads the same resource': [
        getRefund({ status: 429, retryAfterMs: 30_000 }),
        getRefund({ afterMs: 10 }),
      ],
    },
  },
  C10: {
    found: {
      'three more refused requests': burst({ afterMs: 1000 }),
    },
    silent: {
      'requests that were already in flight': burst({ afterMs: -4, tookMs: 5 }),
      'a burst of many customers': burst({ afterMs: 100, tookMs: 1 }),
      'workers that each waited for the given time': [0, 30_000].flatMap((pause) =>
        ['chk_1', 'chk_2', 'chk_3', 'chk_4'].map((id, place) =>
          limited(of(id, { afterMs: place === 0 ? pause : pause === 0 ? 10 : 800 })),
        ),
      ),
      'one more': [limited(), limited(of('chk_2'))],
      'later ones': burst({ afterMs: 30_000 }),
      'other requests succeeded, because a test injected the 429': [
        limited(),
        ...['chk_2', 'chk_3', 'chk_4'].map((id) => refund(of(id, { afterMs: 100 }))),
      ],
    },
  },
  C11: {
    found: {
      'the same 400 three times': times(3, refund({ status: 400 })),
      'a 409 by state three times': times(3, refund({ status: 409 })),
      'a 409 that its key keeps': KEPT,
    },
    silent: {
      twice: times(2, refund({ status: 400 })),
      'three different requests': ['1', '2', '3'].map((amount) =>
        refund({ status: 400, body: `{"amount":${amount}}` }),
      ),
      'with others between': [
        refund({ status: 400 }),
        refund({ body: '{"amount":5}' }),
        refund({ status: 400 }),
        refund({ body: '{"amount":6}' }),
        refund({ status: 400 }),
      ],
      'hours apart': times(3, refund({ status: 404, afterMs: 3_600_000 })),
      'a 409 in flight': [...times(3, inFlight()), refund()],
      'three in parallel': times(3, refund({ status: 409, afterMs: -4 })),
      'it succeeded in the end': [...times(4, refund({ status: 409 })), refund()],
    },
  },
  C12: {
    found: { 'ten times a second': times(8, getRefund({ afterMs: 100 })) },
    silent: {
      'every two seconds': times(8, getRefund({ afterMs: 2000 })),
      'a few times': times(4, getRefund({ afterMs: 100 })),
      'with a growing pause, from a short one': [10, 20, 40, 80, 160, 320, 640, 1280].map((afterMs) =>
        getRefund({ afterMs }),
      ),
      'of many refunds, one after another': ['1', '2', '3', '4', '5', '6', '7'].map((n) =>
        getRefund({ target: `/v1/refunds/ref_${n}`, subject: `ref_${n}`, afterMs: 10 }),
      ),
      'a refund that is completed': times(8, getRefund({ afterMs: 100, answer: '{"status":"completed"}' })),
    },
  },
  C13: {
    found: {
      'no webhook and no read': completedIn([refund(), DAYS_LATER]),
      'a read before it was completed': pictureOf(
        [refund(), getRefund({ afterMs: 0, at: startedAt(500) }), DAYS_LATER],
        {
          completedRefunds: [completed],
        },
      ),
      'a webhook that was given up': completedIn([DAYS_LATER], webhook({ status: 'failed', attempts: [] })),
    },
    silent: {
      'a webhook told': completedIn([DAYS_LATER], webhook()),
      'a webhook is still to come': completedIn([DAYS_LATER], webhook({ status: 'pending', attempts: [] })),
      'it was read': completedIn([refund(), getRefund({ afterMs: 60_000 }), DAYS_LATER]),
      'the list was read': completedIn([list('{}'), DAYS_LATER]),
      'the run ended before': completedIn([refund({ afterMs: 0 })]),
      'a client that reads once a day may still read': completedIn([refund(), order({ afterMs: 3_600_000 })]),
      'the first response already said so': pictureOf([refund(), DAYS_LATER], {
        completedRefunds: [{ ...completed, completedAt: completed.createdAt }],
      }),
    },
  },
  C14: {
    found: {
      'one that is open': pictureOf([], {
        leftOpen: [
          { kind: 'authorization', status: 'authorized', count: 1, ids: ['auth_1'], amount: fromMajor(75.5) },
        ],
      }),
    },
    silent: { none: [] },
  },
  C15: {
    found: {
      'a checkout that the buyer approved': pictureOf([], {
        leftOpen: [
          { kind: 'checkout', status: 'approved', count: 1, ids: ['chk_1'], amount: fromMajor(75.5) },
        ],
      }),
    },
    silent: { none: [] },
  },
  C16: {
    found: {
      'the default page': [list(page('c2'))],
      'a list without the lost resource': [
        order({ fault: 'reset' }),
        order({ verdict: 'replayed' }),
        list(page('c2', 'ref_1')),
      ],
      'the page shows only known items': [getRefund(), list(page('c2', 'ref_1'))],
      'a later page with only new items': [list(page(null, 'ref_1')), list(page('c2', 'ref_2'))],
      'the largest page': [list(page('c2'), { target: '/v1/refunds?limit=100' })],
    },
    silent: {
      'the client read the next page': [
        list(page('c2')),
        list(page(null), { target: '/v1/refunds?cursor=c2' }),
      ],
      'the first response was lost, and then the client read all pages': [
        list(page('c2', 'ref_1'), { fault: 'reset' }),
        list(page('c3', 'ref_2')),
        list(page(null, 'ref_3'), { target: '/v1/refunds?cursor=c3' }),
      ],
      'there is one page': [list(page(null))],
      'the page has the wanted item': [list(page('c2', 'ref_1')), getRefund()],
      'the page shows whether a lost refund was made, because the newest come first': [
        lost(),
        list(page('c2', 'ref_1')),
      ],
      'the client had seen the rest before': [
        list(page(null, 'ref_1', 'ref_2')),
        list(page('c2', 'ref_2', 'ref_3')),
        list(page('c3', 'ref_3', 'ref_4')),
      ],
      'the second of three pages has the wanted item': [
        list(page('c2', 'ref_1')),
        list(page('c3', 'ref_2'), { target: '/v1/refunds?cursor=c2' }),
      ],
      'the journal has forgotten the earlier reads': pictureOf(
        [list(page('c2', 'ref_2')), list(page('c2', 'ref_2', 'ref_3'))],
        { forgotten: 1 },
      ),
      'a few on purpose': [list(page('c2'), { target: '/v1/refunds?limit=5' })],
    },
  },
  C17: {
    found: { '0.1 + 0.2': [refund({ status: 400, body: '{"amount":0.30000000000000004}' })] },
    silent: {
      'two decimals': [refund({ body: '{"amount":1234.56}' })],
      'a text': [refund({ status: 400, body: '{"amount":"0.301"}' })],
    },
  },
  C18: {
    found: {
      'in the query': [{ target: '/v1/events?key=sk_staging_default' }],
      'in the body, a key of another service': [order({ body: '{"note":"sk_live_51Habc"}' })],
    },
    silent: {
      'in neither': [order({ body: '{"note":"task_force sk_ sk_17_a"}' })],
      'a word that is the key of this sandbox': pictureOf([order({ body: '{"note":"test"}' })], {
        apiKey: 'test',
      }),
    },
  },
  C19: {
    found: {
      'after a second': [refund({ clientLeft: true, tookMs: 1000 }), replayed()],
    },
    silent: {
      'after half a minute': [refund({ clientLeft: true, tookMs: 30_000 }), replayed()],
      'a GET': [getRefund({ clientLeft: true, tookMs: 1000 })],
      'a slow response that the client waited for': [refund({ tookMs: 1000 })],
    },
  },
  C20: {
    found: { 'six seconds': delivered(webhook({ attempts: [attempt(204, 6000)] })) },
    silent: { 'one second': delivered(webhook({ attempts: [attempt(204, 1000)] })) },
  },
  C21: {
    found: {
      'a redirect': delivered(webhook({ status: 'pending', attempts: [attempt(308)] })),
    },
    silent: { 'a 204': delivered(webhook()) },
  },
  C22: {
    found: {
      'all attempts failed': delivered(
        webhook({ status: 'failed', attempts: times(10, {}).map(() => attempt(500)) }),
      ),
      'nothing was listening until the last attempt': delivered(
        webhook({ status: 'failed', attempts: times(10, {}).map(() => attempt(null)) }),
      ),
      'three events, all refused': delivered(
        ...times(3, {}).map(() => webhook({ status: 'pending', attempts: [attempt(401)] })),
      ),
    },
    silent: {
      'one was refused once, then accepted': delivered(webhook({ attempts: [attempt(500), attempt(204)] })),
      'forged webhooks are refused': delivered(
        ...times(3, {}).map(() =>
          webhook({ status: 'failed', attempts: [attempt(401)], signatureFault: 'tampered' }),
        ),
      ),
      'nothing listens': delivered(
        ...times(3, {}).map(() => webhook({ status: 'pending', attempts: [attempt(null)] })),
      ),
      'the receiver wants no more (410)': delivered(webhook({ status: 'failed', attempts: [attempt(410)] })),
    },
  },
  C23: {
    found: {
      'a forged webhook was accepted': delivered(webhook({ signatureFault: 'stale' })),
    },
    silent: {
      'a forged webhook was refused': delivered(
        webhook({ status: 'pending', attempts: [attempt(401)], signatureFault: 'missing' }),
      ),
      'a valid webhook was accepted': delivered(
        webhook(),
        webhook({
          eventId: 'evt_2',
          status: 'failed',
          attempts: [attempt(401)],
          signatureFault: 'tampered',
        }),
      ),
    },
  },
}

it('a receiver that takes a stale webhook is not said to take an invalid signature', () => {
  const stale = delivered(webhook({ signatureFault: 'stale' }))
  expect(judged(stale).findings.map(({ what }) => what)).toEqual([
    '1 webhook was taken although the signature or the timestamp was not valid',
  ])
})

it('a webhook that was never answered is not said to be refused', () => {
  const [finding] = judged(CASES.C22!.found['nothing was listening until the last attempt']!).findings
  expect(finding!.what).toBe('1 webhook was never answered, in all attempts')
})

it('has cases for every rule', () => {
  expect(Object.keys(CASES)).toEqual(RULES.map(({ id }) => id))
  expect(RULES.map(({ id }) => id)).toEqual(AUDIT_RULES)
})

describe.each(RULES)('$id $title', ({ id }) => {
  const { found, silent } = CASES[id]!

  it.each(Object.entries(found))('reports %s, and no other rule does', (_, picture) => {
    const { findings } = judged(picture)
    expect([...new Set(findings.map(({ rule }) => rule))]).toEqual([id])
  })

  it.each(Object.entries(silent))('does not report %s', (_, picture) => {
    expect(judged(picture).findings.filter(({ rule }) => rule === id)).toEqual([])
  })
})

it('reports several repeats under other keys as one finding with the count', () => {
  const thrice = [lost({ key: 'one' }), lost({ key: 'two' }), refund({ key: 'three' })]
  expect(judged(thrice).findings).toMatchObject([
    {
      what: 'req_2 repeats req_1 (checkouts.refund), whose outcome was unknown, under another key (1 more after it); it happened 3 times',
      requests: ['req_1', 'req_2', 'req_3'],
      money: 20,
    },
  ])
})

it('reports a repeat under another key once, even if it is retried under that key', () => {
  const sent = [lost({ key: 'one' }), limited({ key: 'two' }), refund({ key: 'two', afterMs: 30_000 })]
  expect(judged(sent).findings).toMatchObject([
    {
      what: 'req_2 repeats req_1 (checkouts.refund), whose outcome was unknown, under another key; it happened twice',
      requests: ['req_1', 'req_2'],
      money: 10,
    },
  ])
})

it('reports an unknown outcome as an error, or as a warning if the status of a broken response was readable', () => {
  const findingsOf = (sent: Sent) =>
    judged([sent]).findings.map(({ rule, severity, what }) => [rule, severity, what])
  const [, , what] = findingsOf(refund({ clientLeft: true, fault: 'bad-json' }))[0]!
  expect(findingsOf(refund({ fault: 'reset' }))).toEqual([['C6', 'error', what]])
  expect(findingsOf(refund({ fault: 'bad-json' }))).toEqual([
    [
      ...['C6', 'warning'],
      'req_1 (checkouts.refund) was answered 201 with a broken body and was not asked for again; it did happen',
    ],
  ])
})

it('reports retries under a key that keeps a 409 as an error, and other refused retries as a warning', () => {
  const findingsOf = (sent: Sent[]) => judged(sent).findings.map(({ severity, what }) => [severity, what])
  expect(findingsOf(KEPT)).toEqual([
    [
      'error',
      'req_1 (checkouts.refund) was refused with 409, and its key keeps the refusal: 2 retries under that key got it again',
    ],
  ])
  expect(findingsOf(times(3, refund({ status: 409 })))).toMatchObject([['warning', expect.anything()]])
  expect(findingsOf([...KEPT, underOtherKey()])).toEqual([])
})

it('every kind of trouble has a unique name', () => {
  expect(new Set(TROUBLES.map(({ id }) => id)).size).toBe(TROUBLES.length)
})

it('counts the same money once, however often it was requested', () => {
  const moneyOf = (id: string, picture: readonly Sent[] | Picture) =>
    judged(picture).findings.flatMap(({ rule, money }) => (rule === id ? [money] : []))
  const retried = [...times(4, refund({ ...unkeyed, status: 503, afterMs: 300 })), refund(unkeyed)]
  expect(moneyOf('C1', retried)).toEqual([10])
  const next = refund({
    status: 422,
    verdict: 'reused with another body',
    body: '{"amount":20}',
    amount: 20,
  })
  expect(moneyOf('C3', [refund(), next, next, next])).toEqual([20])
  const refused = ['checkout.created', 'checkout.confirmed', 'refund.created'].map((eventType, index) =>
    webhook({
      id: `dlv_${index}`,
      eventId: `evt_${index}`,
      eventType,
      resourceId: eventType.startsWith('checkout') ? 'chk_1' : 'ref_1',
      status: 'pending',
      attempts: [attempt(500)],
    }),
  )
  expect(moneyOf('C22', delivered(...refused))).toEqual([20])
})
