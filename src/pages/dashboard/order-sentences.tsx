/** The problems of an order, in the sentences of its story. */

import { groupBy } from '../../spec/grouping.ts'
import type { OrderSentence } from '../../tester/audit/order-sentence.ts'
import type { Browse } from '../../tester/control/browse.ts'
import { Notice } from '../blocks.tsx'
import { withLinks } from './blocks.tsx'
import type { Links } from './links.ts'

/** The sentences about an order, by the id of its checkout or authorization. */
export const sentencesOf = ({ audit }: Browse, id: string): readonly OrderSentence[] =>
  audit.story(id)?.sentences ?? []

/** The sentences about a request. */
export function sentencesOfRequest(browse: Browse, id: string, subject: string | null) {
  const doubled = browse.audit.doubled().find(({ requests }) => requests.includes(id))
  const order = doubled?.order ?? subject
  return order === null ? [] : sentencesOf(browse, order).filter(({ requests }) => requests.includes(id))
}

/** For each request that moved money again, by its id: how, in a few words for its row. */
export function doubledIn(browse: Browse): ReadonlyMap<string, string> {
  const doubled = browse.audit.doubled()
  return new Map(
    doubled.flatMap(({ requests, worst }) => requests.slice(1).map((id) => [id, worst] as const)),
  )
}

const SENTENCES_SHOWN = 3

/** Sentences with the same advice, shown together. */
type NoticesProps = { links: Links; sentences: readonly OrderSentence[] }

export function SentenceNotices({ links, sentences }: NoticesProps) {
  const alike = [
    ...groupBy(sentences, ({ tooMuch, rule, todo }) => `${tooMuch !== null} ${rule} ${todo}`).values(),
  ]
  return (
    <>
      {alike.map((some) => {
        const { todo, tooMuch } = some[0]!
        const lines = some.map(({ text }) => <p>{withLinks(text, links)}</p>)
        return (
          <Notice tone={tooMuch === null ? 'wait' : 'bad'}>
            {lines.slice(0, SENTENCES_SHOWN)}
            {lines.length > SENTENCES_SHOWN && (
              <details>
                <summary>And {lines.length - SENTENCES_SHOWN} more like these</summary>
                {lines.slice(SENTENCES_SHOWN)}
              </details>
            )}
            {todo && <p class="soft">{todo}</p>}
          </Notice>
        )
      })}
    </>
  )
}
