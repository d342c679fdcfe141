/** The cases of `paysim grade`: the webhooks to send, the expected responses, and the advice for a receiver that fails. */
import { signWebhook } from '../../service/webhooks/sign.ts'

export interface Letter {
  body: string
  headers: Readonly<Record<string, string>>
  /** Send the body slowly, over this time. */
  overMs?: number
}

export interface Material {
  secret: string
  /** Milliseconds since 1970. */
  now: number
  /** The event bodies of a new refund, from a sandbox in which the receiver can read that refund. */
  nextRefund(): RefundEvents
  /** The body of an event older than all others. */
  oldEvent: string
  /** The body of an event with the amount 25.00, which parsing and serializing would turn into 25. */
  wholeAmount: string
  /** How long the body takes over a slow connection. */
  slowMs: number
}

export interface RefundEvents {
  created: string
  completed: string
}

/** `taken` is 2xx. `refused` is 4xx: the receiver does nothing and reveals nothing to a forger. */
export type WantedAnswer = 'taken' | 'refused'

/** The receiver is killed and started again. */
export const RESTART = 'restart'

export interface GradeCase {
  name: string
  expected: WantedAnswer
  /** Rounds run in sequence; the webhooks of a round are sent concurrently. */
  send(material: Material): readonly (readonly Letter[] | typeof RESTART)[]
  /** By how much the probe's count must grow. Default: not checked. */
  effects?: number
  /** The refund state that the receiver must report at the end, if it can. */
  state?: 'completed'
  /** An ordinary webhook: a receiver that refuses it is useless. */
  isEveryday?: true
  /** Only about a restart, so skipped unless paysim starts the receiver. */
  needsStart?: true
  fix: string
}

type Signing = Pick<Material, 'secret' | 'now'>

const signed = (body: string, { secret, now }: Signing): Letter => ({
  body,
  headers: { ...signWebhook(body, { secret, id: idOf(body), at: now }) },
})

const idOf = (body: string) => (JSON.parse(body) as { id: string }).id

/** A valid webhook that no other case sends. */
const valid = (material: Material) => signed(material.nextRefund().completed, material)

/** The same event with other fields, with a valid signature. */
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

const VERIFY = 'Verify the signature before anything else, and respond 401 if it is invalid.'
const RAW = 'Verify the raw bytes of the body; parsing and serializing it again changes them.'
const TIME = 'Refuse a webhook-timestamp that is more than five minutes away from your clock.'
const TWICE =
  'Store the webhook-id of each handled event in the same transaction as its effects. If it arrives again, respond 2xx and do nothing.'

export const CASES: readonly GradeCase[] = [
  {
    name: 'a valid webhook',
    expected: 'taken',
    effects: 1,
    isEveryday: true,
    send: (material) => [[valid(material)]],
    fix: 'Respond 2xx to a valid webhook, such as 204; any other status makes the service retry.',
  },
  {
    name: 'an amount written as 25.00',
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
    name: 'a signature with another secret',
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
      const first = valid(material)
      const second = valid(material)
      return [[withHeader(first, SIGNATURE, second.headers[SIGNATURE])]]
    },
    fix: VERIFY,
  },
  {
    name: 'a timestamp one hour old',
    expected: 'refused',
    effects: 0,
    send: (material) => [[valid({ ...material, now: material.now - STALE_MS })]],
    fix: TIME,
  },
  {
    name: 'a timestamp one hour ahead',
    expected: 'refused',
    effects: 0,
    send: (material) => [[valid({ ...material, now: material.now + STALE_MS })]],
    fix: TIME,
  },
  {
    name: 'two signatures during a secret rotation, the second one valid',
    expected: 'taken',
    effects: 1,
    send(material) {
      const letter = valid(material)
      const forged = signed(letter.body, { ...material, secret: OTHER_SECRET })
      return [[withHeader(letter, SIGNATURE, `${forged.headers[SIGNATURE]} ${letter.headers[SIGNATURE]}`)]]
    },
    fix: 'Split webhook-signature at its spaces, and accept the webhook if any of the signatures is valid.',
  },
  {
    name: 'the same webhook three times in sequence',
    expected: 'taken',
    effects: 1,
    send(material) {
      const letter = valid(material)
      return [[letter], [letter], [letter]]
    },
    fix: TWICE,
  },
  {
    name: 'the same webhook five times concurrently',
    expected: 'taken',
    effects: 1,
    send(material) {
      const letter = valid(material)
      return [[letter, letter, letter, letter, letter]]
    },
    fix: `${TWICE} A unique index on the id resolves concurrent duplicates.`,
  },
  {
    name: 'refund.completed before refund.created',
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
    fix: `${TWICE} Memory is lost with the process: store the id in the database.`,
  },
  {
    name: 'an unknown event type',
    expected: 'taken',
    send: (material) => [[changed(material, { type: 'dispute.opened' })]],
    fix: 'Respond 2xx to unknown event types and do nothing, because the service may add types.',
  },
  {
    name: 'unknown fields',
    expected: 'taken',
    effects: 1,
    send: (material) => [[changed(material, { apiVersion: '2027-01', links: { self: null } })]],
    fix: 'Ignore unknown fields, because the service may add some.',
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
    fix: 'Allow bodies of at least 1 MB; the default limit of many frameworks is 100 KB.',
  },
  {
    name: 'a burst of 50 webhooks',
    expected: 'taken',
    effects: BURST,
    send: (material) => [Array.from({ length: BURST }, () => valid(material))],
    fix: 'Store the event, respond, and do the work later.',
  },
  {
    name: 'a body that arrives slowly',
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
    fix: `${VERIFY} An unsigned body is then never parsed, so it cannot crash the receiver.`,
  },
]
