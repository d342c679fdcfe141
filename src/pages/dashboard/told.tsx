/** The problems of an order, in the sentences of its story. */
import type { OrderSentence } from '../../tester/audit/order-sentence.ts'
import { groupBy } from '../../tester/audit/picture.ts'
import type { SandboxControl } from '../../tester/control/control.ts'
import { Notice } from '../blocks.tsx'
import { Id } from './blocks.tsx'
import type { Links } from './links.ts'

type SentenceTold = Pick<OrderSentence, 'text' | 'rule' | 'todo' | 'tooMuch' | 'requests'>

/**
 * The sentences about an order, by the id of its checkout or authorization. If the journal is too long for the audit on each
 * page, only the one sentence from the list of orders.
 */
export async function toldOf({ browse }: SandboxControl, id: string): Promise<SentenceTold[]> {
  const sentences = browse.isJudgedOnAllPages() ? ((await browse.story(id))?.sentences ?? []) : []
  if (sentences.length > 0) return sentences
  const doubled = (await browse.doubled()).filter(({ rows }) => rows.includes(id))
  if (doubled.length > 0) return doubled
  const text = (await browse.order(id))?.worst?.sentence
  if (text === undefined) return []
  return [{ text, rule: null, todo: null, tooMuch: null, requests: [] }]
}

/** The sentences about these requests. */
export async function toldOfRequests(
  control: SandboxControl,
  requests: readonly { id: string; subject: string | null }[],
): Promise<SentenceTold[]> {
  const ids = requests.map(({ id }) => id)
  const doubled = (await control.browse.doubled()).find((one) => ids.some((id) => one.requests.includes(id)))
  const order = doubled?.order ?? requests[0]?.subject ?? null
  const told = order === null ? [] : await toldOf(control, order)
  return told.filter((one) => ids.every((id) => one.requests.includes(id)))
}

/** For each request that moved money again, by its id: how, in a few words for its row. */
export async function doubledIn({ browse }: SandboxControl): Promise<ReadonlyMap<string, string>> {
  const doubled = await browse.doubled()
  return new Map(
    doubled.flatMap(({ requests, worst }) => requests.slice(1).map((id) => [id, worst] as const)),
  )
}

/** Whether a request repeated an earlier request's movement of money. */
export const didHarm = (told: readonly SentenceTold[], id: string): boolean =>
  told.some(({ tooMuch, requests }) => tooMuch !== null && requests.indexOf(id) > 0)

const TOLD_MOST = 3

/** Sentences with the same advice, shown together. */
type ToldProps = { links: Links; told: readonly SentenceTold[] }

export function ToldNotices({ links, told }: ToldProps) {
  const alike = [
    ...groupBy(told, ({ tooMuch, rule, todo }) => `${tooMuch !== null} ${rule} ${todo}`).values(),
  ]
  return (
    <>
      {alike.map((some) => {
        const { todo, tooMuch } = some[0]!
        const sentences = some.map(({ text }) => <Sentence text={text} links={links} />)
        return (
          <Notice tone={tooMuch === null ? 'warn' : 'bad'}>
            {sentences.slice(0, TOLD_MOST)}
            {sentences.length > TOLD_MOST && (
              <details>
                <summary>And {sentences.length - TOLD_MOST} more like these</summary>
                {sentences.slice(TOLD_MOST)}
              </details>
            )}
            {todo && <p class="soft">{todo}</p>}
          </Notice>
        )
      })}
    </>
  )
}

/** A sentence, in which each id is short and a link. */
const Sentence = ({ text, links }: { text: string; links: Links }) => (
  <p>{text.split(/([\w-]+)/).map((part) => (links.isId(part) ? <Id id={part} links={links} /> : part))}</p>
)
