/** What happened to an order: how its money moved, what went wrong, which requests did it and what to do. */

import { z } from 'zod'
import type { AuditRule } from '../../spec/contract/audit-rules.ts'
import { Money, moneyText } from '../../spec/contract/money.ts'
import type { ResourceName } from '../../spec/contract/resources/index.ts'
import { isGivenBack, LEDGER_KIND_NAMES, LEDGER_KINDS } from '../../spec/contract/resources/ledger.ts'
import { Instant } from '../../spec/contract/wire.ts'
import { groupBy } from '../../spec/grouping.ts'
import { isKnownBefore } from '../audit/inquiries.ts'
import { MoveOfMoney, OrderSentence } from '../audit/order-sentence.ts'
import { errorsFirst, totalOf } from '../audit/rule.ts'
import type { MoneyMove, MovedAgain, OrderFacts } from './order-facts.ts'
import {
  listText,
  movedAgainWords,
  openText,
  ruleOf,
  sentenceOf,
  type Told,
  webhookWords,
} from './sentences.ts'

export const Story = z
  .object({
    about: z.string().describe('The name of the order, or the id of a resource without an order'),
    currency: z.string().meta({ description: 'Of its amounts', example: 'USD' }),
    money: z.string().meta({ description: 'What moved', example: 'charged $40.00, refunded $20.00' }),
    worst: z.string().nullable().describe('The worst that happened in a few words; null if nothing did'),
    severity: z.enum(['error', 'warning']).nullable(),
    moves: z
      .array(
        z.object({ kind: MoveOfMoney.shape.kind, amount: Money, ...MoveOfMoney.omit({ kind: true }).shape }),
      )
      .describe('Each movement of money, also a refund that is still pending'),
    sentences: z.array(OrderSentence).describe('The worst first'),
    resources: z.array(z.string()).describe('The ids of its resources'),
    happened: z
      .array(z.object({ at: Instant, id: z.string(), text: z.string() }))
      .describe('Its requests, its other changes and the attempts of its webhooks, in the order of time'),
  })
  .meta({ id: 'Story', description: 'What happened to an order' })

export type Story = z.input<typeof Story>
/** The part of a story that a report of many orders keeps. */
export type ToldOrder = Pick<Story, 'currency' | 'moves' | 'sentences'>

export const tellStory = (facts: OrderFacts): Omit<Story, 'happened'> => {
  const moved = movedAgain(facts)
  const found = [...moved, ...untakenWebhooks(facts), ...brokenRules(facts, moved), ...leftOpen(facts)]
  const sentences = found.sort(errorsFirst).map((told) => sentenceOf(told, facts.name, facts.currency))
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
    return amounts.length === 0 ? [] : [`${LEDGER_KINDS[kind].sum} ${moneyText(totalOf(amounts), currency)}`]
  })
  return parts.join(', ') || 'no money moved'
}

// Money that moved again

/** A sentence for each movement that was repeated, however often. */
function movedAgain(facts: OrderFacts): Told[] {
  const refunds = facts.moves.filter(({ kind }) => isGivenBack(kind))
  // A charge and a capture both pay for an order, so one may repeat the other.
  const payments = facts.moves.filter(({ kind }) => !isGivenBack(kind))
  return [payments, refunds].flatMap((moves) => {
    const again = new Map<MoneyMove, MovedAgain>()
    const firstOf = (move: MoneyMove): MoneyMove => {
      const { of } = again.get(move) ?? {}
      return of ? firstOf(of) : move
    }
    const add = (move: MoneyMove, found: MovedAgain | undefined) => found && again.set(move, found)
    for (const move of moves) add(move, retryOf(facts, move, moves))
    for (const [index, move] of moves.entries()) {
      if (again.has(move)) continue
      // A first attempt may be carried out after the second one, which then is the movement too much.
      const others = moves.slice(0, index).filter((other) => firstOf(other) !== move)
      add(move, twinOf(facts, move, others))
    }
    const inOrder = moves.flatMap((move) => again.get(move) ?? [])
    return [...groupBy(inOrder, ({ move }) => firstOf(move).id).values()].map(toldAgain)
  })
}

function toldAgain(again: readonly MovedAgain[]): Told {
  const rule = ruleOfCause(again[0]!)
  return {
    kind: 'moved again',
    ...movedAgainWords(again),
    again,
    severity: rule === null ? 'warning' : 'error',
    rule,
    requests: [...new Set(again.flatMap(requestsOf))],
    about: again.map(({ move }) => move.id),
  }
}

const ruleOfCause = ({ why }: MovedAgain) =>
  typeof why === 'object' ? why.repeat.rule : why === 'unknown outcome' ? 'C6' : null

const requestsOf = ({ move, of, why }: MovedAgain): string[] =>
  typeof why === 'object'
    ? [why.repeat.before, why.repeat.after]
    : [of.request, move.request].filter((id) => id !== null)

/** The movement of which this one is a retry. */
function retryOf(
  { repeats, made }: OrderFacts,
  move: MoneyMove,
  all: readonly MoneyMove[],
): MovedAgain | undefined {
  const { request } = move
  for (const repeat of repeats) {
    const { before, after } = repeat
    const repeated = request === after ? all.find((paid) => paid.request === before) : undefined
    if (repeated) return { move, of: repeated, why: { repeat, hasNewPayment: false } }
    // The retry created a second checkout, and both were paid.
    const beside = made.get(after) === move.id ? all.find((paid) => paid.id === made.get(before)) : undefined
    if (beside) return { move, of: beside, why: { repeat, hasNewPayment: true } }
  }
  return undefined
}

/** An earlier movement of the same amount; undefined if both may be intended. */
function twinOf(
  { moves }: OrderFacts,
  move: MoneyMove,
  earlier: readonly MoneyMove[],
): MovedAgain | undefined {
  const { request, amount } = move
  // Two refunds of the same amount may be intended; a refund and another request that returns it are not. Neither are two full
  // payments for one order, unless the first was refunded.
  const refunds = moves.slice(0, moves.indexOf(move))
  const refunded = ({ id }: MoneyMove) =>
    totalOf(refunds.filter(({ of }) => of === id).map((refund) => refund.amount))
  const isTwin = isGivenBack(move.kind)
    ? (other: MoneyMove) => request !== null && other.of === move.of && other.kind !== move.kind
    : (other: MoneyMove) => other.id !== move.id && refunded(other) < amount
  const twin = earlier.find((other) => other.amount === amount && isTwin(other))
  if (!twin) return undefined
  const isKnown = !twin.known || isKnownBefore(twin.known, { number: move.number, at: move.sentAt })
  const isUnknown = twin.unknown !== null && request !== null && !isKnown
  return { move, of: twin, why: isUnknown ? 'unknown outcome' : 'both paid' }
}

// Findings of the audit rules

function brokenRules(facts: OrderFacts, shown: readonly Told[]): Told[] {
  return facts.findings.flatMap((finding) => {
    const { rule, severity, title } = finding
    const { label } = ruleOf(rule)
    if (label === null) return []
    const requests = finding.requests.filter((id) => facts.ids.has(id))
    const about = finding.about.filter((id) => facts.ids.has(id))
    if (requests.length === 0 && about.length === 0) return []
    // Omitted if a sentence about moved money covers it already.
    const isTold = shown.some((row) => row.rule === rule && row.requests.some((id) => requests.includes(id)))
    if (isTold) return []
    const isOnlyThis = requests.length === finding.requests.length && about.length === finding.about.length
    const what = isOnlyThis ? finding.what : `${title}, as in ${listText([...requests, ...about])}`
    return { kind: 'rule broken' as const, worst: label, what, todo: null, severity, rule, requests, about }
  })
}

// Webhooks, and unfinished payments

/** Webhooks that failed in the same way are one sentence. */
function untakenWebhooks({ webhooks }: OrderFacts): Told[] {
  const failing = webhooks.filter(({ status, lastAttempt }) => status !== 'delivered' && lastAttempt !== null)
  const alike = groupBy(failing, ({ status, lastAttempt }) => JSON.stringify([status, lastAttempt]))
  return [...alike.values()].map((webhooks) => ({
    kind: 'webhook not taken',
    ...webhookWords(webhooks),
    severity: webhooks[0]!.status === 'failed' ? 'error' : 'warning',
    rule: null,
    requests: [],
    about: webhooks.map(({ delivery }) => delivery),
  }))
}

const leftOpen = ({ open }: OrderFacts): Told[] =>
  open.map((payment) => ({
    kind: 'left open',
    worst: 'left open',
    what: openText(payment),
    todo: null,
    severity: 'warning',
    rule: LEFT_OPEN[payment.kind] ?? null,
    requests: [],
    about: [payment.id],
  }))

const LEFT_OPEN: Partial<Record<ResourceName, AuditRule>> = { authorization: 'C14', checkout: 'C15' }
