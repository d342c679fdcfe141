/** The story of an order for a terminal. */
import { idKindOf } from '../../spec/contract/ids.ts'
import { groupBy } from '../../spec/grouping.ts'
import { printable } from '../../spec/terminal-text.ts'
import type { Story } from './story.ts'

const NOTHING_WRONG = '  Nothing went wrong.'
const NOTHING_KNOWN =
  '  Nothing is known to have gone wrong, but the journal does not have all requests that moved this money.'

export function storyText({ about, money, moves, sentences, happened }: Story): string {
  const isWhole = moves.every(({ request }) => request !== null)
  const said = sentences.map(({ text, todo }) =>
    [`  ${printable(text)}`, ...(todo === null ? [] : [`  ${todo}`])].join('\n'),
  )
  const days = groupBy(happened, ({ at }) => at.slice(0, 10))
  const lines = [...days].flatMap(([day, rows]) => [
    ...(days.size > 1 ? [`  ${day}`] : []),
    ...rows.map(lineOf),
  ])
  return [
    printable(`${about}: ${money}`),
    ...(said.length === 0 ? [isWhole ? NOTHING_WRONG : NOTHING_KNOWN] : said),
    ...(lines.length === 0 ? [] : [lines.join('\n')]),
  ].join('\n\n')
}

const lineOf = ({ at, id, text }: Story['happened'][number]) =>
  `  ${at.slice(11, 23)}  ${(idKindOf(id) === 'request' ? id : '').padEnd(ID_COLUMN)}  ${printable(text)}`

/** Only request ids are shown, because delivery ids are long and random. */
const ID_COLUMN = 8
