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
export type WantedResponse = 'taken' | 'refused'

/** The receiver is killed and started again. */
export const RESTART = 'restart'

export interface GradeCase {
  name: string
  expected: WantedResponse
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

type Send = GradeCase['send']
type More = Partial<Omit<GradeCase, 'name' | 'expected' | 'send' | 'fix'>>

const taken = (name: string, fix: string, send: Send, more: More = { effects: 1 }): GradeCase => ({
  ...{ name, fix, send, expected: 'taken' },
  ...more,
})
const everyday = { effects: 1, isEveryday: true } as const

const forged = (name: string, fix: string, forge: (material: Material) => Letter): GradeCase => ({
  ...{ name, fix, expected: 'refused', effects: 0 },
  send: (material) => [[forge(material)]],
})

export const CASES: readonly GradeCase[] = [
  taken(
    'a valid webhook',
    'Respond 2xx to a valid webhook, such as 204; any other status makes the service retry.',
    (material) => [[valid(material)]],
    everyday,
  ),
  taken(
    'an amount written as 25.00',
    RAW,
    (material) => [[signed(material.wholeAmount, material)]],
    everyday,
  ),
  forged('a body that was tampered with', VERIFY, (material) => {
    const { body, headers } = valid(material)
    return { body: body.replace(/"amount":[\d.]+/, '"amount":1000000.00'), headers }
  }),
  forged('a signature with another secret', VERIFY, (material) =>
    valid({ ...material, secret: OTHER_SECRET }),
  ),
  forged('no signature', VERIFY, (material) => withHeader(valid(material), SIGNATURE, undefined)),
  forged('the signature of another message', VERIFY, (material) =>
    withHeader(valid(material), SIGNATURE, valid(material).headers[SIGNATURE]),
  ),
  forged('a timestamp one hour old', TIME, (material) =>
    valid({ ...material, now: material.now - STALE_MS }),
  ),
  forged('a timestamp one hour ahead', TIME, (material) =>
    valid({ ...material, now: material.now + STALE_MS }),
  ),
  taken(
    'two signatures during a secret rotation, the second one valid',
    'Split webhook-signature at its spaces, and accept the webhook if any of the signatures is valid.',
    (material) => {
      const letter = valid(material)
      const forged = signed(letter.body, { ...material, secret: OTHER_SECRET })
      return [[withHeader(letter, SIGNATURE, `${forged.headers[SIGNATURE]} ${letter.headers[SIGNATURE]}`)]]
    },
  ),
  taken('the same webhook three times in sequence', TWICE, (material) => {
    const letter = valid(material)
    return [[letter], [letter], [letter]]
  }),
  taken(
    'the same webhook five times concurrently',
    `${TWICE} A unique index on the id resolves concurrent duplicates.`,
    (material) => [Array<Letter>(5).fill(valid(material))],
  ),
  taken(
    'refund.completed before refund.created',
    'Events may come in any order. Read the resource, or compare the timestamps, and never go back to an earlier state.',
    (material) => {
      const { created, completed } = material.nextRefund()
      return [[signed(completed, material)], [signed(created, material)]]
    },
    { state: 'completed' },
  ),
  taken(
    'an old event after new ones',
    'Accept an old event that arrives late, and keep the later state.',
    (material) => [[signed(material.oldEvent, material)]],
    {},
  ),
  taken(
    'the same webhook again after a restart',
    `${TWICE} Memory is lost with the process: store the id in the database.`,
    (material) => {
      const letter = valid(material)
      return [[letter], RESTART, [letter]]
    },
    { effects: 1, needsStart: true },
  ),
  taken(
    'an unknown event type',
    'Respond 2xx to unknown event types and do nothing, because the service may add types.',
    (material) => [[changed(material, { type: 'dispute.opened' })]],
    {},
  ),
  taken('unknown fields', 'Ignore unknown fields, because the service may add some.', (material) => [
    [changed(material, { apiVersion: '2027-01', links: { self: null } })],
  ]),
  taken(
    'names in many scripts',
    `${RAW} Read the body as UTF-8.`,
    (material) => [[changed(material, { note: 'Zoë Ångström 日本語 عربى 👩‍👩‍👧 \u2028 ﬁ' })]],
    everyday,
  ),
  taken(
    'an event of 256 KB',
    'Allow bodies of at least 1 MB; the default limit of many frameworks is 100 KB.',
    (material) => [[changed(material, { note: 'x'.repeat(LARGE_CHARS) })]],
  ),
  taken(
    'a burst of 50 webhooks',
    'Store the event, respond, and do the work later.',
    (material) => [Array.from({ length: BURST }, () => valid(material))],
    { effects: BURST },
  ),
  taken('a body that arrives slowly', 'Wait for the whole body, for at least ten seconds.', (material) => [
    [{ ...valid(material), overMs: material.slowMs }],
  ]),
  forged(
    'a body that is not JSON, without a signature',
    `${VERIFY} An unsigned body is then never parsed, so it cannot crash the receiver.`,
    () => ({ body: '{"type":', headers: {} }),
  ),
]
