/**
 * The cases of `paysim grade`: the webhooks to send, the expected answers, and the advice for a receiver that
 * fails.
 */
import { signWebhook } from '../../service/webhooks/sign.ts'

/** A webhook as it is sent. */
export interface Letter {
  body: string
  headers: Readonly<Record<string, string>>
  /** Sent slowly, over this time. */
  overMs?: number
}

export interface Material {
  secret: string
  /** Milliseconds since 1970. */
  now: number
  /** The bodies of the events of another refund, from a sandbox that a receiver can read the refund from. */
  nextRefund(): RefundEvents
  /** The body of an event older than all of those. */
  oldEvent: string
  /** The body of an event about 25.00, which a program that parses and writes it again makes 25. */
  wholeAmount: string
  /** How long the body of the slow connection takes. */
  slowMs: number
}

export interface RefundEvents {
  created: string
  completed: string
}

/** `taken` is 2xx; `refused` is 4xx, so that the receiver does nothing and tells a forger nothing. */
export type WantedAnswer = 'taken' | 'refused'

/** The receiver is killed and started again. */
export const RESTART = 'restart'

export interface GradeCase {
  name: string
  expected: WantedAnswer
  /** Rounds one after another; those of one round are sent at once. */
  send(material: Material): readonly (readonly Letter[] | typeof RESTART)[]
  /** By how much the probe's count must grow; default: not checked. */
  effects?: number
  /** The state of the refund that the receiver must report at the end, if it can. */
  state?: 'completed'
  /** An ordinary webhook: a receiver that refuses it is useless. */
  isEveryday?: true
  /** Only about a restart, so it is left out if paysim does not start the receiver. */
  needsStart?: true
  fix: string
}

type Signing = Pick<Material, 'secret' | 'now'>

/** The webhook as the service sends it. */
const signed = (body: string, { secret, now }: Signing): Letter => ({
  body,
  headers: { ...signWebhook(body, { secret, id: idOf(body), at: now }) },
})

const idOf = (body: string) => (JSON.parse(body) as { id: string }).id

/** A valid webhook that no other case sends. */
const valid = (material: Material) => signed(material.nextRefund().completed, material)

/** The same event with other fields, signed as the service would. */
const changed = (material: Material, change: object) =>
  signed(JSON.stringify({ ...JSON.parse(material.nextRefund().completed), ...change }), material)

const withHeader = ({ body, headers }: Letter, name: string, value: string | undefined): Letter => {
  const { [name]: _, ...others } = headers
  return { body, headers: value === undefined ? others : { ...others, [name]: value } }
}

const OTHER_SECRET = 'whsec_YW5vdGhlciBzZWNyZXQgdGhhdCBpcyBub3QgdGhlIG9uZQ=='
const STALE_MS = 3_600_000
const SIGNATURE = 'webhook-signature'
const LARGE_CHARS = 256 * 1024
const BURST = 50

const VERIFY = 'Verify the signature with the secret before anything else, and answer 401 if it is not valid.'
const RAW =
  'Verify the bytes of the body as received; a body that was parsed and written again has other bytes.'
const TIME = 'Refuse a webhook-timestamp that is more than five minutes away from your clock.'
const TWICE =
  'Keep the webhook-id of each event that was handled, in the transaction of its effects; answer 2xx when it comes again and do nothing.'

export const CASES: readonly GradeCase[] = [
  {
    name: 'a valid webhook',
    expected: 'taken',
    effects: 1,
    isEveryday: true,
    send: (material) => [[valid(material)]],
    fix: 'Answer 2xx to a valid webhook, such as 204; anything else makes the service send it again.',
  },
  {
    name: 'an amount that the service writes 25.00',
    expected: 'taken',
    effects: 1,
    isEveryday: true,
    send: (material) => [[signed(material.wholeAmount, material)]],
    fix: RAW,
  },
  {
    name: 'a body that was tampered with',
    expected: 'refused',
    effects: 0,
    send(material) {
      const { body, headers } = valid(material)
      return [[{ body: body.replace(/"amount":[\d.]+/, '"amount":1000000.00'), headers }]]
    },
    fix: VERIFY,
  },
  {
    name: 'a signature by another secret',
    expected: 'refused',
    effects: 0,
    send: (material) => [[valid({ ...material, secret: OTHER_SECRET })]],
    fix: VERIFY,
  },
  {
    name: 'no signature',
    expected: 'refused',
    effects: 0,
    send: (material) => [[withHeader(valid(material), SIGNATURE, undefined)]],
    fix: VERIFY,
  },
  {
    name: 'the signature of another message',
    expected: 'refused',
    effects: 0,
    send(material) {
      const one = valid(material)
      const other = valid(material)
      return [[withHeader(one, SIGNATURE, other.headers[SIGNATURE])]]
    },
    fix: VERIFY,
  },
  {
    name: 'a timestamp of an hour ago',
    expected: 'refused',
    effects: 0,
    send: (material) => [[valid({ ...material, now: material.now - STALE_MS })]],
    fix: TIME,
  },
  {
    name: 'a timestamp in an hour',
    expected: 'refused',
    effects: 0,
    send: (material) => [[valid({ ...material, now: material.now + STALE_MS })]],
    fix: TIME,
  },
  {
    name: 'two signatures during a rotation of the secret, the valid one second',
    expected: 'taken',
    effects: 1,
    send(material) {
      const letter = valid(material)
      const other = signed(letter.body, { ...material, secret: OTHER_SECRET })
      return [[withHeader(letter, SIGNATURE, `${other.headers[SIGNATURE]} ${letter.headers[SIGNATURE]}`)]]
    },
    fix: 'Split webhook-signature at its spaces, and take the webhook if any of the signatures is valid.',
  },
  {
    name: 'the same webhook three times, one after another',
    expected: 'taken',
    effects: 1,
    send(material) {
      const letter = valid(material)
      return [[letter], [letter], [letter]]
    },
    fix: TWICE,
  },
  {
    name: 'the same webhook five times at once',
    expected: 'taken',
    effects: 1,
    send(material) {
      const letter = valid(material)
      return [[letter, letter, letter, letter, letter]]
    },
    fix: `${TWICE} A unique index on the id decides between two at once.`,
  },
  {
    name: 'a refund that is completed before it is created',
    expected: 'taken',
    state: 'completed',
    send(material) {
      const { created, completed } = material.nextRefund()
      return [[signed(completed, material)], [signed(created, material)]]
    },
    fix: 'Events may come in any order. Read the resource, or compare the timestamps, and never go back to an earlier state.',
  },
  {
    name: 'an old event after new ones',
    expected: 'taken',
    send: (material) => [[signed(material.oldEvent, material)]],
    fix: 'Accept an old event that arrives late, and keep the later state.',
  },
  {
    name: 'the same webhook again after a restart',
    expected: 'taken',
    effects: 1,
    needsStart: true,
    send(material) {
      const letter = valid(material)
      return [[letter], RESTART, [letter]]
    },
    fix: `${TWICE} What is kept in memory is gone with the process: keep it in the database.`,
  },
  {
    name: 'an event type that is not known yet',
    expected: 'taken',
    send: (material) => [[changed(material, { type: 'dispute.opened' })]],
    fix: 'Answer 2xx to event types that you do not know, and do nothing; the service adds types.',
  },
  {
    name: 'fields that are not known yet',
    expected: 'taken',
    effects: 1,
    send: (material) => [[changed(material, { apiVersion: '2027-01', links: { self: null } })]],
    fix: 'Ignore fields that you do not know; the service adds fields.',
  },
  {
    name: 'names in many scripts',
    expected: 'taken',
    effects: 1,
    isEveryday: true,
    send: (material) => [[changed(material, { note: 'Zoë Ångström 日本語 عربى 👩‍👩‍👧 \u2028 ﬁ' })]],
    fix: `${RAW} Read the body as UTF-8.`,
  },
  {
    name: 'an event of 256 KB',
    expected: 'taken',
    effects: 1,
    send: (material) => [[changed(material, { note: 'x'.repeat(LARGE_CHARS) })]],
    fix: 'Allow bodies of at least 1 MB; many frameworks refuse more than 100 KB unless told otherwise.',
  },
  {
    name: 'a burst of 50 at once',
    expected: 'taken',
    effects: BURST,
    send: (material) => [Array.from({ length: BURST }, () => valid(material))],
    fix: 'Store the event, answer, and do the work later.',
  },
  {
    name: 'a connection over which the body comes slowly',
    expected: 'taken',
    effects: 1,
    send: (material) => [[{ ...valid(material), overMs: material.slowMs }]],
    fix: 'Wait for the whole body, for at least ten seconds.',
  },
  {
    name: 'a body that is not JSON, without a signature',
    expected: 'refused',
    effects: 0,
    send: () => [[{ body: '{"type":', headers: {} }]],
    fix: `${VERIFY} What is not signed is never parsed, so it cannot crash you.`,
  },
]
