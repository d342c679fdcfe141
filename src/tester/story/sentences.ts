/** The findings about an order, in sentences. */
import { z } from 'zod'
import { missedStates, waitsForBuyer } from '../../service/domain/states.ts'
import { Money, moneyText } from '../../spec/contract/money.ts'
import { isGivenBack, LEDGER_KINDS, type LedgerKind } from '../../spec/contract/resources/ledger.ts'
import type { OrderSentence } from '../audit/order-sentence.ts'
import type { UnknownOutcome } from '../audit/picture.ts'
import type { Repeat } from '../audit/repeats.ts'
import { type Rule, totalOf } from '../audit/rule.ts'
import { RULES } from '../audit/rules.ts'
import type { LastWebhook, MoneyMove, MovedAgain, OrderFacts } from './order-facts.ts'

export const ruleOf = (rule: string): Rule => RULES.find(({ id }) => id === rule)!

/** What a sentence says; `again`: the repeated movements that it is about. */
export type Told = Omit<OrderSentence, 'order' | 'text' | 'tooMuch' | 'movedAgain'> & {
  again?: readonly MovedAgain[]
}

export function sentenceOf(told: Told, order: string, currency: string): OrderSentence {
  const { kind, worst, severity, what, rule, todo, requests, about, again = [] } = told
  const tooMuch = again.length === 0 ? null : totalOf(again.map(({ move }) => move.amount))
  const head = tooMuch === null ? order : `${order} was ${worst}, ${moneyText(tooMuch, currency)} too much`
  return {
    order,
    kind,
    worst,
    severity,
    text: orderText(head, what, rule),
    what,
    rule,
    todo: rule === null ? todo : ruleOf(rule).todo,
    tooMuch: tooMuch === null ? null : z.encode(Money, tooMuch),
    movedAgain: again.map(({ move, of }) => ({
      kind: move.kind,
      id: move.id,
      request: move.request,
      first: { kind: of.kind, id: of.id, request: of.request },
    })),
    requests,
    about,
  }
}

export const orderText = (head: string, what: string, rule: string | null) =>
  `${head}: ${what}${rule === null ? '' : ` (${rule})`}.`

type Words = Pick<OrderSentence, 'worst' | 'what' | 'todo'>

/** The verb for the money: a charge and a capture both pay for an order. */
function doneTo(moves: readonly { kind: LedgerKind }[]): string {
  const [kind, ...others] = new Set(moves.map(({ kind }) => kind))
  return others.length === 0 ? LEDGER_KINDS[kind!].sum : paid(kind!)
}

const paid = (kind: LedgerKind) => (isGivenBack(kind) ? 'paid back' : 'paid')

export function movedAgainWords(again: readonly MovedAgain[]): Words {
  const more = again.length > 1 ? ` (and ${again.length - 1} more)` : ''
  return {
    worst: `${doneTo(again.flatMap(({ move, of }) => [move, of]))} ${timesText(again.length + 1)}`,
    what: whyAgain(again[0]!) + more,
    todo: isGivenBack(again[0]!.move.kind)
      ? 'Before money is given back again, read what became of the first time.'
      : 'Before another payment is made for an order, read what became of the one before, and keep one checkout for one order.',
  }
}

export const timesText = (count: number) => (count === 2 ? 'twice' : `${count} times`)

function whyAgain({ move, of, why }: MovedAgain): string {
  const done = paid(move.kind)
  if (why === 'both paid') return `${of.id}${by(of)} and ${move.id}${by(move)} were both ${done}`
  if (why === 'unknown outcome')
    return `${move.request} ${done} ${move.id}, although ${of.request}, ${outcomeText(of.unknown!)}, had ${done} ${of.id}`
  const { before, after, outcome } = why.repeat
  const made = why.hasNewPayment ? `, and made ${move.id} beside ${of.id}` : ''
  return `${after} repeats ${before}, ${outcomeText(outcome)}, ${keyText(why.repeat)}${made}`
}

const by = ({ request }: MoneyMove) => (request === null ? '' : ` by ${request}`)

const outcomeText = (outcome: UnknownOutcome): string =>
  typeof outcome === 'number' ? `which was answered ${outcome}` : OUTCOMES[outcome]

const OUTCOMES = {
  'not awaited': 'whose answer the client did not wait for',
  'in flight': 'which was still in flight',
  unreadable: 'whose answer could not be read',
  lost: 'whose answer was lost',
}

function keyText({ rule, isOnOtherPath }: Repeat): string {
  if (rule === 'C1') return 'without a key'
  if (rule === 'C5') return 'under the same key after it was forgotten'
  return isOnOtherPath ? 'on another path, where its key is another key' : 'under another key'
}

/** Webhooks that failed in the same way. */
export function webhookWords(webhooks: readonly LastWebhook[]): Words {
  const { status, lastAttempt } = webhooks[0]!
  const isGivenUp = status === 'failed'
  const types = listText([...new Set(webhooks.map(({ eventType }) => eventType))])
  const each = webhooks.map(({ attempts }) => attempts)
  const most = Math.max(...each)
  const tried = most === 1 ? 'one attempt' : `${Math.min(...each) < most ? 'up to ' : ''}${most} attempts`
  const last = lastAttempt?.status
    ? `was answered ${lastAttempt.status}`
    : `failed: ${lastAttempt?.error ?? 'no answer'}`
  return {
    worst: isGivenUp ? 'webhook given up' : 'webhook failing',
    what: `its ${types} ${webhooks.length === 1 ? 'was' : 'were'} not taken after ${tried}; the last ${last}${isGivenUp ? ', and no more follow' : ''}`,
    todo: `Read the response of the receiver, fix it, and send the webhook${webhooks.length === 1 ? '' : 's'} again.`,
  }
}

/** Such as `chk_1 is approved, and neither confirmed nor canceled`. */
export function openText({ id, kind, status }: OrderFacts['open'][number]): string {
  if (waitsForBuyer(kind, status)) return `${id} is still ${status}`
  return `${id} is ${status}, and neither ${missedStates(kind, status).join(' nor ')}`
}

const NAMED_SHOWN = 4

export const listText = (ids: readonly string[]): string =>
  ids.length > NAMED_SHOWN
    ? `${ids.slice(0, NAMED_SHOWN).join(', ')} and ${ids.length - NAMED_SHOWN} more`
    : [ids.slice(0, -1).join(', '), ids.at(-1)].filter(Boolean).join(' and ')
