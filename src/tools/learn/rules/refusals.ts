/** Rules for refusals: their names and their texts. */

import { writes } from '../../../spec/contract/endpoints.ts'
import { jsonIn } from '../../../spec/contract/json-text.ts'
import { isObject } from '../../../spec/contract/parsed-json.ts'
import { readMessage } from '../../../spec/contract/refusal-words.ts'
import { TEXTS, type TextName, wordsOf } from '../../../spec/contract/texts.ts'
import type { SeenExchange } from '../reading.ts'
import { answeredCall, hasKey, type LearningRule } from './rule.ts'

export const refusalRule: LearningRule = {
  *find({ exchanges }) {
    for (const exchange of exchanges) {
      const { theirs, json, seenIn } = exchange
      if (theirs.status < 400) continue
      const key = `errors.names.${theirs.status}`
      if (isObject(json) && typeof json.error === 'string' && typeof json.message === 'string') {
        if (hasKey(key)) yield { key, value: json.error, seenIn, saw: answeredCall(exchange) }
      } else
        yield { remark: `A refusal has another form: ${answeredCall(exchange)} without error and message.` }
    }
  },
}

export const textRule: LearningRule = {
  *find({ exchanges }, known) {
    const templates = new Map<TextName, { template: string; values: string; exchange: SeenExchange }[]>()
    const served = new Set(exchanges.filter(({ isSuccess }) => isSuccess).map(({ operation }) => operation))
    for (const exchange of exchanges) {
      const { theirs, ours, json, operation, asked } = exchange
      // At a path that the service does not have, it refuses something else.
      if (!ours || ours.status !== theirs.status || ours.status < 400) continue
      if (!writes(asked.method) && operation && !served.has(operation)) continue
      const own = jsonIn(ours.body)
      const found = isObject(own) && typeof own.message === 'string' ? readMessage(own.message) : undefined
      if (!found || !isObject(json) || typeof json.message !== 'string') continue
      const template = templateOf(json.message, found.values, known)
      const one = { template, values: JSON.stringify(found.values), exchange }
      if (!templates.get(found.name)?.push(one)) templates.set(found.name, [one])
    }
    for (const [name, seen] of templates) {
      // A word in braces that is not there may stand for one value by chance, unless twice the message has nothing like it.
      const isWhole = wordsOf(TEXTS[name]).every((word) => wordsOf(seen[0]!.template).includes(word))
      const isOfOneValue = new Set(seen.map(({ values }) => values)).size < 2
      if (!isWhole && isOfOneValue && (seen.length < 2 || seen.some(saysValue))) continue
      for (const { template, exchange } of seen)
        yield {
          key: `errors.texts.${name}`,
          value: template,
          seenIn: exchange.seenIn,
          saw: answeredCall(exchange),
        }
    }
  },
}

/** In any case of letters: `no checkout left` says `Checkout`. */
const saysValue = ({ template, values }: { template: string; values: string }): boolean =>
  Object.values(JSON.parse(values) as Record<string, string>).some((value) =>
    template.toLowerCase().includes(value.toLowerCase()),
  )

function templateOf(
  message: string,
  values: Readonly<Record<string, string>>,
  known: (key: string) => unknown,
): string {
  let template = message
  for (const [word, value] of Object.entries(values)) {
    const isState = word === 'state' || word === 'needed'
    const theirs = isState ? known(`states.${(values.resource ?? '').toLowerCase()}.${value}`) : value
    if (value !== '' && typeof theirs === 'string') template = template.replaceAll(theirs, `{${word}}`)
  }
  return template
}
