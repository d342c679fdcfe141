/**
 * The worst that happened to an order, for the chip of its row. Its story says more, but needs the audit's
 * verdict, for which the whole sandbox is read.
 */
import type { OrderSentence } from '../audit/order-sentence.ts'

export interface Worst {
  /** `bad`: money is wrong. */
  tone: 'bad' | 'wait'
  /** For a chip: `refunded twice`. */
  text: string
  /** What went wrong, in a sentence. */
  sentence: string
}

export interface ChipFacts {
  /** The sentence about money of it that moved twice. */
  doubled: OrderSentence | undefined
  /** How many of its events have a last delivery that fails or failed. */
  failing: number
  /** Its state, if that is not final: it is still to be confirmed, captured, canceled or voided. */
  openState: string | undefined
  openMs: number
}

/** An order counts as left open after this long: before, its buyer may still be paying. */
const LEFT_OPEN_MS = 60 * 60 * 1000

export function worstOf({ doubled, failing, openState, openMs }: ChipFacts): Worst | null {
  if (doubled) {
    return { tone: 'bad', text: doubled.worst, sentence: doubled.text }
  }
  if (failing > 0) {
    const events = failing === 1 ? '1 webhook fails' : `${failing} webhooks fail`
    return {
      tone: 'wait',
      text: failing === 1 ? 'webhook failing' : `${failing} webhooks failing`,
      sentence: `${events}: the receiver has not taken ${failing === 1 ? 'it' : 'them'}.`,
    }
  }
  if (openState !== undefined && openMs >= LEFT_OPEN_MS)
    return {
      tone: 'wait',
      text: 'left open',
      sentence: `It is still ${openState}: it was neither finished nor canceled.`,
    }
  return null
}
