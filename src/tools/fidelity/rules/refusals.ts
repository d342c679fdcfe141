import { ENDPOINTS, writes } from '../../../spec/contract/endpoints.ts'
import { keptOrMade } from '../../../spec/contract/kept-or-made.ts'
import { isObject } from '../../../spec/contract/parsed-json.ts'
import { PAGE_PARAMETERS } from '../../../spec/contract/profile-kinds.ts'
import { readMessage } from '../../../spec/contract/refusal-text.ts'
import { renamedIn } from '../../../spec/contract/renaming.ts'
import { TEXTS, type TextName, wordsOf } from '../../../spec/contract/texts.ts'
import { jsonOf, refusalMessage, type SeenExchange } from '../evidence.ts'
import type { Reading } from '../reading.ts'
import { refusedFields } from './requests.ts'
import { fallbackOf, type Known, type Noticed } from './rule.ts'

export function* refusalRule({ exchanges }: Reading): Noticed {
  for (const exchange of exchanges) {
    const { theirs, json } = exchange
    if (theirs.status < 400) continue
    const key = `errors.names.${theirs.status}`
    if (isObject(json) && typeof json.error === 'string' && typeof json.message === 'string')
      yield { key, value: json.error, exchange }
  }
}

export function* textRule({ exchanges, names }: Reading, known: Known): Noticed {
  const templates = new Map<TextName, Refusal[]>()
  const served = new Set(exchanges.filter(({ isSuccess }) => isSuccess).map(({ operation }) => operation))
  for (const exchange of exchanges) {
    const { theirs, ours, json, operation, asked } = exchange
    const add = (name: TextName, values: Readonly<Record<string, string>>, message: string) => {
      const fields = operation ? names.of(ENDPOINTS[operation].what) : {}
      const template = templateOf(message, values, fields, known)
      keptOrMade(templates, name, () => []).push({ template, values: JSON.stringify(values), exchange })
    }
    const message = refusalMessage(json)
    if (message === undefined) continue
    const [field, ...more] = known('requests.unknownFields') === 'refuse' ? refusedFields(exchange) : []
    if (field !== undefined && more.length === 0) add('unknownField', { field }, message)
    // For an unknown path, the service refuses something else.
    if (!ours || ours.status !== theirs.status || ours.status < 400) continue
    if (!writes(asked.method) && operation && !served.has(operation)) continue
    const own = refusalMessage(jsonOf(ours))
    const found = own === undefined ? undefined : readMessage(own)
    if (found) add(found.name, found.values, message)
  }
  for (const [name, seen] of templates) {
    // A placeholder that is missing may be a coincidence of one value, unless a second message lacks it too.
    const isWhole = wordsOf(TEXTS[name]).every((word) => wordsOf(seen[0]!.template).includes(word))
    const isOfOneValue = new Set(seen.map(({ values }) => values)).size < 2
    if (!isWhole && isOfOneValue && (seen.length < 2 || seen.some(saysValue))) continue
    for (const { template, exchange } of seen)
      yield { key: `errors.texts.${name}`, value: template, exchange }
  }
}

interface Refusal {
  template: string
  values: string
  exchange: SeenExchange
}

/** Ignores case: `no checkout left` contains `Checkout`. */
const saysValue = ({ template, values }: Refusal): boolean =>
  Object.values(JSON.parse(values) as Record<string, string>).some((value) =>
    template.toLowerCase().includes(value.toLowerCase()),
  )

/** The refusal of a page parameter contains the parameter's name and the maximum. */
function pageWords(known: Known): Record<string, string> {
  const keys = {
    ...PAGE_PARAMETERS,
    [`${fallbackOf('lists.maxSize')}`]: 'lists.maxSize',
  }
  return Object.fromEntries(Object.entries(keys).map(([word, key]) => [word, String(known(key))]))
}

function templateOf(
  message: string,
  values: Readonly<Record<string, string>>,
  fields: Readonly<Record<string, string>>,
  known: Known,
): string {
  let template = message
  for (const [word, value] of Object.entries(values)) {
    const isState = word === 'state' || word === 'needed'
    const state = `states.${(values.resource ?? '').toLowerCase()}.${value}`
    const theirs = isState ? known(state) : renamedIn(value, { ...fields, ...pageWords(known) })
    if (value !== '' && typeof theirs === 'string') template = template.replaceAll(theirs, `{${word}}`)
  }
  return template
}
