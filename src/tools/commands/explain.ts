/** `paysim explain order-3`: what happened to an order at a running paysim, and what went wrong. */

import { idKindOf } from '../../spec/contract/ids.ts'
import { asSentence } from '../../spec/contract/suggest.ts'
import { UsageError } from '../../spec/options/read.ts'
import { wrongTexts } from '../../tester/audit/show.ts'
import { storyText } from '../../tester/story/story-text.ts'
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
  // Many requests belong to no order, such as a list or a refused request: the output is then the request itself.
  const told = await shop
    .story(about)
    .then(storyText)
    .catch((cause) => (idKindOf(about) === 'request' ? shop.explain(about) : Promise.reject(cause)))
    .catch(({ message }: Error) => {
      throw new UsageError(
        `Nothing in the sandbox ${sandbox} is about ${about}: ${asSentence(message)} Name an order such as order-3, an id such as req_8, or an Idempotency-Key.`,
      )
    })
  printText(told)
}

const NOTHING_AGAIN =
  'No money moved again where it should have moved once. paysim audit lists everything else.'
