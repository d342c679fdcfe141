/** Why the money of an order differs from another run, by its stories. */
import { type Cents, fromMajor, moneyText } from '../../spec/contract/money.ts'
import { LEDGER_KIND_NAMES, LEDGER_KINDS, type LedgerKind } from '../../spec/contract/resources/ledger.ts'
import type { OrderSentence } from '../audit/order-sentence.ts'
import { totalOf } from '../audit/rule.ts'
import { RULES } from '../audit/rules.ts'
import { listText, orderText, timesText } from './sentences.ts'
import type { Story, ToldOrder } from './story.ts'

/** A movement of money, in major units; without an amount, any of its kind. */
export interface MovedMoney {
  kind: LedgerKind
  amount?: number
}

/** An order whose money differs between two runs. */
export interface MoneyDifference {
  order: string
  /** Movements that should not have happened. */
  tooMuch: readonly MovedMoney[]
  /** Movements that are missing. */
  lacks: readonly MovedMoney[]
}

/** A sentence about an order, and the rules that explain it. */
export interface Explanation {
  text: string
  rules: readonly string[]
}

/**
 * Why the money of an order differs, if its stories explain exactly that. There are several stories if its sandbox was reset, or
 * its journal cleared, in between.
 */
export function explainDifference(
  stories: readonly ToldOrder[],
  difference: MoneyDifference,
): Explanation | undefined {
  const { tooMuch, lacks } = difference
  if (tooMuch.length === 0) return leftUndone(stories, difference)
  if (lacks.length > 0) return undefined
  const causes = LEDGER_KIND_NAMES.flatMap((kind) => {
    const amounts = tooMuch.filter((movement) => movement.kind === kind).map(amountOf)
    return amounts.length === 0 ? [] : [movedAgainOfKind(stories, kind, difference.order, amounts)]
  })
  if (causes.includes(undefined)) return undefined
  return {
    text: causes.map((cause) => cause!.text).join(' '),
    rules: causes.flatMap((cause) => cause!.rules),
  }
}

const amountOf = ({ amount = 0 }: MovedMoney) => fromMajor(amount)

function movedAgainOfKind(
  stories: readonly ToldOrder[],
  kind: LedgerKind,
  order: string,
  amounts: readonly Cents[],
): Explanation | undefined {
  const wrong = totalOf(amounts)
  const charged = stories.flatMap(({ sentences }) =>
    sentences.filter(({ movedAgain }) =>
      movedAgain.some((move) => [move.kind, move.first.kind].includes(kind)),
    ),
  )
  const sumOfTold = (sentences: readonly OrderSentence[]) =>
    totalOf(sentences.map(({ tooMuch }) => fromMajor(tooMuch!)))
  const explaining = [...charged.map((sentence) => [sentence]), charged].find(
    (some) => some.length > 0 && sumOfTold(some) === wrong,
  )
  if (explaining) {
    return {
      text: explaining.map(({ text }) => text).join(' '),
      rules: explaining.flatMap(({ rule }) => rule ?? []),
    }
  }
  // No sentence of a story is about this sum, so this one only names the requests behind the movements.
  const moved = stories
    .map(({ moves }) => moves.filter((move) => move.kind === kind))
    .find((moves) => moves.length > amounts.length && amounts.every((amount) => hasMoved(moves, amount)))
  if (!moved) return undefined
  const asked = moved.flatMap(({ request }) => request ?? [])
  const by =
    asked.length === moved.length
      ? `${listText(asked)} each asked for it`
      : 'the journal no longer has all requests that asked for it'
  const head = `${order} was ${LEDGER_KINDS[kind].sum} ${timesText(moved.length)}, ${moneyText(wrong, stories[0]!.currency)} too much`
  return { text: orderText(head, by, null), rules: [] }
}

/** The sentence about an order that lacks money, with the omission if a rule found it. */
function leftUndone(
  stories: readonly ToldOrder[],
  { order, lacks }: MoneyDifference,
): Explanation | undefined {
  const [first] = stories
  if (first === undefined) return undefined
  const undone = lacks.map(({ kind, amount }) => {
    const money = amount === undefined ? '' : ` ${moneyText(fromMajor(amount), first.currency)}`
    return `not ${LEDGER_KINDS[kind].sum}${money}`
  })
  const found = stories
    .flatMap(({ sentences }) => sentences)
    .find(({ rule }) => RULES.some(({ id, moves }) => id === rule && moves?.includes('not')))
  const head = `${order} was ${undone.join(' and ')}`
  return found
    ? { text: orderText(head, found.what, found.rule), rules: [found.rule!] }
    : { text: `${head}.`, rules: [] }
}

const hasMoved = (moves: Story['moves'], amount: Cents) =>
  moves.some((move) => fromMajor(move.amount) === amount)
