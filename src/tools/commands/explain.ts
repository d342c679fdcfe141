/** `paysim explain order-3`: prints what happened to an order, and what went wrong. */
import { asSentence } from '../../spec/contract/suggest.ts'
import { UsageError } from '../../spec/options/read.ts'
import { wrongTexts } from '../../tester/audit/show.ts'
import type { Resolved } from '../options/commands.ts'
import { sandboxAt } from './sandbox-at.ts'
import { printText } from './terminal.ts'

export async function explainOrder({ about, ...at }: Resolved<'explain'>) {
  const { sandbox } = at
  const shop = await sandboxAt(at)
  if (about === undefined) {
    const { orders } = await shop.audit()
    const wrong = wrongTexts({ orders, findings: [] })
    return printText(wrong.length === 0 ? NOTHING_AGAIN : wrong.join('\n\n'))
  }
  const { text } = await shop.explain(about).catch(({ message }: Error) => {
    throw new UsageError(
      `Cannot explain ${about} in the sandbox ${sandbox}: ${asSentence(message)} Name an order such as order-3, an id such as req_8, or an Idempotency-Key.`,
    )
  })
  printText(text)
}

const NOTHING_AGAIN = 'No order was charged or refunded twice. paysim audit lists everything else.'
