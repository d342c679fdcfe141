/**
 * What happened to an order, in sentences: how its money moved, what went wrong, which requests did it and what to do.
 * The gauntlet, the audit, `paysim explain`, `toPassAudit` and the pages say it with these words.
 */

import { z } from 'zod'
import type { DeliveryRow } from '../../service/store/deliveries.ts'
import { type Cents, cents, fromMajor, Money, moneyText } from '../../spec/contract/money.ts'
import {
  isGivenBack,
  LEDGER_KIND_NAMES,
  LEDGER_KINDS,
  type LedgerKind,
} from '../../spec/contract/resources/ledger.ts'
import { Instant } from '../../spec/contract/wire.ts'
import { isKnownBefore, type KnownSince } from '../audit/inquiries.ts'
import type { Finding } from '../audit/judge.ts'
import { OrderSentence } from '../audit/order-sentence.ts'
import { groupBy } from '../audit/picture.ts'
import type { Repeat } from '../audit/repeats.ts'
import type { Rule } from '../audit/rule.ts'
import { RULES } from '../audit/rules.ts'

export const Story = z
  .object({
    about: z.string().meta({ description: 'The name of the order, or the id of what has none' }),
    currency: z.string().meta({ description: 'Of its amounts', example: 'USD' }),
    money: z.string().meta({ description: 'What moved', example: 'charged $40.00, refunded $20.00' }),
    worst: z
      .string()
      .nullable()
      .meta({ description: 'The worst that happened in a few words; null where nothing did' }),
    severity: z.enum(['error', 'warning']).nullable(),
    moves: z
      .array(
        z.object({
          kind: z.enum(LEDGER_KIND_NAMES),
          amount: Money,
          id: z.string().meta({ description: 'The checkout, authorization or refund' }),
          request: z.string().nullable().meta({ description: 'The request that asked for it' }),
        }),
      )
      .meta({ description: 'Each movement of money, also a refund that is still pending' }),
    sentences: z.array(OrderSentence).meta({ description: 'The worst first' }),
    resources: z.array(z.string()).meta({ description: 'Its checkouts, authorizations and refunds' }),
    happened: z
      .array(z.object({ at: Instant, id: z.string(), text: z.string() }))
      .meta({ description: 'Its requests and the attempts of its webhooks, in the order of time' }),
  })
  .meta({ id: 'Story', description: 'What happened to an order' })

export type Story = z.input<typeof Story>
/** What a report of many orders keeps of a story. */
export type ToldOrder = Pick<Story, 'currency' | 'moves' | 'sentences'>

/** Money that moved, or is about to. */
export interface MoneyMove {
  kind: LedgerKind
  amount: Cents
  /** The checkout, authorization or refund. */
  id: string
  /** The request that asked for it; null where a tester or a buyer did, or the journal has forgotten it. */
  request: string | null
  /** Its number, 0 where there is none, and when it was sent. */
  number: number
  sentAt: number
  /** Of that request, why its client may not know the outcome; null where it was told. */
  unknown: string | null
  /** From when on it knew all the same; undefined where it was told at once. */
  known: KnownSince | undefined
  /** Of a refund: whose money it gives back. */
  of?: string
}

export interface LastWebhook {
  delivery: string
  eventType: string
  status: DeliveryRow['status']
  attempts: number
  /** What the last attempt came to, such as `was answered 500`; null before the first. */
  last: string | null
}

/** What is known of one order. */
export interface OrderFacts {
  name: string
  currency: string
  /** In the order in which they were asked for. */
  moves: readonly MoneyMove[]
  /**
   * Checkouts and authorizations that are neither paid nor canceled, such as `approved by the buyer and
   * neither confirmed nor canceled`.
   */
  open: readonly { id: string; how: string }[]
  /** The checkout or authorization that each request made. */
  made: ReadonlyMap<string, string>
  resources: readonly string[]
  requests: ReadonlySet<string>
  /** The last delivery of each event that was not taken, though it should have been. */
  webhooks: readonly LastWebhook[]
  /** All deliveries of its events. */
  deliveries: ReadonlySet<string>
  repeats: readonly Repeat[]
  findings: readonly Finding[]
}

/** Charged and captured. */
const PAID = 'paid'

export const tellStory = (facts: OrderFacts): Omit<Story, 'happened'> => {
  const moved = movedAgain(facts)
  const sentences = [...moved, ...webhookSentences(facts), ...ruleSentences(facts, moved), ...leftOpen(facts)]
  sentences.sort((one, other) => Number(one.severity === 'warning') - Number(other.severity === 'warning'))
  return {
    about: facts.name,
    currency: facts.currency,
    money: movedText(facts),
    worst: sentences[0]?.worst ?? null,
    severity: sentences[0]?.severity ?? null,
    moves: facts.moves.map(({ kind, amount, id, request }) => ({
      kind,
      amount: z.encode(Money, amount),
      id,
      request,
    })),
    sentences,
    resources: [...facts.resources],
  }
}

/** `charged $40.00, refunded $20.00`. */
function movedText({ moves, currency }: OrderFacts): string {
  const parts = LEDGER_KIND_NAMES.flatMap((kind) => {
    const amounts = moves.filter((move) => move.kind === kind).map(({ amount }) => amount)
    return amounts.length === 0 ? [] : [`${LEDGER_KINDS[kind].sum} ${moneyText(sumOf(amounts), currency)}`]
  })
  return parts.join(', ') || 'no money moved'
}

const sumOf = (amounts: readonly Cents[]) => cents(amounts.reduce((sum, amount) => sum + amount, 0))

// Money that moved again

/** A sentence for each movement that was made again, however often. */
function movedAgain(facts: OrderFacts): OrderSentence[] {
  const refunds = facts.moves.filter(({ kind }) => isGivenBack(kind))
  // A charge and a capture both pay for an order, so one may be the other once more.
  const payments = facts.moves.filter(({ kind }) => !isGivenBack(kind))
  return [payments, refunds].flatMap((moves) => {
    const causes = moves.flatMap((move, index) => causeOf(facts, move, moves, moves.slice(0, index)) ?? [])
    const causeById = new Map(causes.map((cause) => [cause.move.id, cause]))
    const firstOf = (cause: Cause): string => {
      const earlier = causeById.get(cause.of.id)
      return earlier && earlier.move !== cause.move ? firstOf(earlier) : cause.of.id
    }
    return [...groupBy(causes, firstOf).values()].map((again) => sentenceOf(facts, again))
  })
}

function sentenceOf(facts: OrderFacts, again: readonly Cause[]): OrderSentence {
  const first = again[0]!
  const tooMuch = sumOf(again.map(({ move }) => move.amount))
  const done = new Set(
    again.flatMap(({ move, of }) => [LEDGER_KINDS[move.kind].sum, LEDGER_KINDS[of.kind].sum]),
  )
  const worst = `${done.size === 1 ? [...done][0] : PAID} ${timesText(again.length + 1)}`
  const more = again.length > 1 ? ` (and ${again.length - 1} more)` : ''
  return {
    order: facts.name,
    worst,
    severity: first.rule === null ? 'warning' : 'error',
    text: `${facts.name} was ${worst}, ${moneyText(tooMuch, facts.currency)} too much: ${first.text}${more}${first.rule === null ? '' : ` (${first.rule})`}.`,
    rule: first.rule,
    todo: first.rule === null ? ASK_FIRST : ruleOf(first.rule).todo,
    tooMuch: z.encode(Money, tooMuch),
    requests: [...new Set(again.flatMap(({ requests }) => requests))],
    about: again.map(({ move }) => move.id),
  }
}

const timesText = (count: number) => (count === 2 ? 'twice' : `${count} times`)

const ASK_FIRST =
  'Before another payment is made for an order, read what became of the one before, and keep one checkout for one order.'

interface Cause {
  move: MoneyMove
  /** The movement that it made again. */
  of: MoneyMove
  text: string
  rule: string | null
  requests: string[]
}

/**
 * Why money moved again; undefined if that may be intended. The first attempt may be carried out after the
 * second one.
 */
function causeOf(
  { repeats, made, moves }: OrderFacts,
  move: MoneyMove,
  all: readonly MoneyMove[],
  earlier: readonly MoneyMove[],
): Cause | undefined {
  const { request, amount } = move
  for (const { before, after, why, how, rule } of repeats) {
    const words = `${after} repeats ${before}, ${why}, ${how}`
    const requests = [before, after]
    const repeated = request === after ? all.find((one) => one.request === before) : undefined
    if (repeated) return { move, of: repeated, text: words, rule, requests }
    // The retry made a second checkout, and both were paid.
    const beside = made.get(after) === move.id ? all.find((one) => one.id === made.get(before)) : undefined
    if (beside)
      return { move, of: beside, text: `${words}, and made ${move.id} beside ${beside.id}`, rule, requests }
  }
  // Two refunds of the same amount may be intended; two full payments for one order are not, unless the first was given back.
  const refunds = moves.slice(0, moves.indexOf(move))
  const refunded = ({ id }: MoneyMove) =>
    sumOf(refunds.filter(({ of }) => of === id).map((refund) => refund.amount))
  const twin = isGivenBack(move.kind)
    ? undefined
    : earlier.find((one) => one.amount === amount && one.id !== move.id && refunded(one) < one.amount)
  if (!twin) return undefined
  const requests = [twin.request, request].filter((id) => id !== null)
  const isKnown = !twin.known || isKnownBefore(twin.known, { number: move.number, at: move.sentAt })
  if (twin.unknown !== null && request !== null && !isKnown) {
    const text = `${request} paid ${move.id}, although ${twin.request}, ${twin.unknown}, had paid ${twin.id}`
    return { move, of: twin, text, rule: 'C6', requests }
  }
  const text = `${twin.id}${by(twin)} and ${move.id}${by(move)} were both paid`
  return { move, of: twin, text, rule: null, requests }
}

const by = ({ request }: MoneyMove) => (request === null ? '' : ` by ${request}`)

const ruleOf = (rule: string): Rule => RULES.find(({ id }) => id === rule)!

// What the audit rules found

function ruleSentences(facts: OrderFacts, told: readonly OrderSentence[]): OrderSentence[] {
  const { findings, name, requests, resources, deliveries } = facts
  return findings.flatMap((finding) => {
    const { rule, severity, what, title, todo } = finding
    const { label: worst } = ruleOf(rule)
    if (worst === null) return []
    const own = finding.requests.filter((id) => requests.has(id))
    const about = finding.about.filter((id) => resources.includes(id) || deliveries.has(id))
    if (own.length === 0 && about.length === 0) return []
    // Left out if a sentence about moved money has told it already.
    const isTold = told.some((one) => one.rule === rule && one.requests.some((id) => own.includes(id)))
    if (isTold) return []
    const isOwn = own.length === finding.requests.length && about.length === finding.about.length
    const named = listText([...own, ...about])
    return {
      order: name,
      worst,
      severity,
      text: isOwn ? `${name}: ${what} (${rule}).` : `${name}: ${title}, as in ${named} (${rule}).`,
      rule,
      todo,
      tooMuch: null,
      requests: own,
      about,
    }
  })
}

const NAMED_SHOWN = 4

const listText = (ids: readonly string[]): string =>
  ids.length > NAMED_SHOWN
    ? `${ids.slice(0, NAMED_SHOWN).join(', ')} and ${ids.length - NAMED_SHOWN} more`
    : [ids.slice(0, -1).join(', '), ids.at(-1)].filter(Boolean).join(' and ')

// Webhooks, and what is left open

/** Webhooks that failed alike are told in one sentence. */
function webhookSentences({ name, webhooks }: OrderFacts): OrderSentence[] {
  const failing = webhooks.filter(({ status, last }) => status !== 'delivered' && last !== null)
  return [...groupBy(failing, ({ status, last }) => `${status} ${last}`).values()].map((alike) => {
    const { status, last } = alike[0]!
    const isGivenUp = status === 'failed'
    const types = listText([...new Set(alike.map(({ eventType }) => eventType))])
    const each = alike.map(({ attempts }) => attempts)
    const most = Math.max(...each)
    const tried = most === 1 ? 'one attempt' : `${Math.min(...each) < most ? 'up to ' : ''}${most} attempts`
    return {
      order: name,
      worst: isGivenUp ? 'webhook given up' : 'webhook failing',
      severity: isGivenUp ? ('error' as const) : ('warning' as const),
      text: `${name}: its ${types} ${alike.length === 1 ? 'was' : 'were'} not taken after ${tried}; the last ${last}${isGivenUp ? ', and no more follow' : ''}.`,
      rule: null,
      todo: `Read what the receiver answered, mend it, and send the webhook${alike.length === 1 ? '' : 's'} again.`,
      tooMuch: null,
      requests: [],
      about: alike.map(({ delivery }) => delivery),
    }
  })
}

const leftOpen = ({ name, open }: OrderFacts): OrderSentence[] =>
  open.map(({ id, how }) => {
    const rule = how.startsWith('authorized') ? 'C14' : 'C15'
    return {
      order: name,
      worst: 'left open',
      severity: 'warning' as const,
      text: `${name}: ${id} is ${how} (${rule}).`,
      rule,
      todo: ruleOf(rule).todo,
      tooMuch: null,
      requests: [],
      about: [id],
    }
  })

// Money that differs from another run

/**
 * The sentence about an order with too much money moved, if its stories explain exactly that amount. There are several
 * stories where its sandbox was reset, or its journal cleared, in between.
 */
export function movedAgainText(
  stories: readonly ToldOrder[],
  { order, tooMuch, lacks }: { order: string; tooMuch: readonly string[]; lacks: readonly string[] },
): string | undefined {
  if (lacks.length > 0 || tooMuch.length === 0) return undefined
  const kinds = [...new Set(tooMuch.map((one) => one.split(' ', 1)[0]!))].filter(isKind)
  const texts = kinds.map((kind) => {
    const ofKind = tooMuch.filter((one) => one.startsWith(kind))
    return movedAgainOfKind(stories, kind, order, ofKind)
  })
  return texts.length === 0 || texts.includes(undefined) ? undefined : texts.join(' ')
}

function movedAgainOfKind(
  stories: readonly ToldOrder[],
  kind: MoneyMove['kind'],
  order: string,
  tooMuch: readonly string[],
): string | undefined {
  const amounts = tooMuch.map((one) => fromMajor(Number(one.split(' ').at(-1))))
  const wrong = sumOf(amounts)
  const told = stories.flatMap(({ sentences }) =>
    sentences.filter(
      ({ tooMuch, worst }) =>
        tooMuch !== null &&
        (worst.startsWith(LEDGER_KINDS[kind].sum) || (!isGivenBack(kind) && worst.startsWith(PAID))),
    ),
  )
  const ofAll = told.find((one) => fromMajor(one.tooMuch!) === wrong)
  if (ofAll) return ofAll.text
  if (told.length > 0 && sumOf(told.map((one) => fromMajor(one.tooMuch!))) === wrong) {
    return told.map(({ text }) => text).join(' ')
  }
  // No sentence of a story is about this sum, so this one only names the requests that asked for the movements.
  const moved = stories
    .map(({ moves }) => moves.filter((move) => move.kind === kind))
    .find((moves) => moves.length > tooMuch.length && amounts.every((amount) => hasMoved(moves, amount)))
  if (!moved) return undefined
  const asked = moved.flatMap(({ request }) => request ?? [])
  const by =
    asked.length === moved.length
      ? `${listText(asked)} each asked for it`
      : 'the journal does not have all requests any more that asked for it'
  return `${order} was ${LEDGER_KINDS[kind].sum} ${timesText(moved.length)}, ${moneyText(wrong, stories[0]!.currency)} too much: ${by}.`
}

/** The sentence about an order that lacks money, with what was left undone if a rule has found it. */
export function leftUndoneText(
  stories: readonly ToldOrder[],
  { order, tooMuch, lacks }: { order: string; tooMuch: readonly string[]; lacks: readonly string[] },
): string | undefined {
  const [first] = stories
  if (first === undefined || tooMuch.length > 0) return undefined
  const undone = lacks.map((one) => {
    const [kind = '', amount] = one.split(' ')
    const money = amount === undefined ? '' : ` ${moneyText(fromMajor(Number(amount)), first.currency)}`
    return isKind(kind) ? `not ${LEDGER_KINDS[kind].sum}${money}` : `without ${one}`
  })
  const found = stories
    .flatMap(({ sentences }) => sentences)
    .find(({ rule }) => RULES.some(({ id, moves }) => id === rule && moves?.includes('not')))
  return `${order} was ${undone.join(' and ')}${found ? found.text.slice(order.length) : '.'}`
}

const hasMoved = (moves: Story['moves'], amount: Cents) =>
  moves.some((one) => fromMajor(one.amount) === amount)

const isKind = (word: string | undefined): word is MoneyMove['kind'] =>
  word !== undefined && word in LEDGER_KINDS
