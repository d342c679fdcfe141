/** The story of an order for a terminal. */
import { idKindOf } from '../../spec/contract/ids.ts'
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
  const lines = happened.map(
    ({ at, id, text }) =>
      `  ${at.slice(11, 23)}  ${(idKindOf(id) === 'request' ? id : '').padEnd(ID_COLUMN)}  ${printable(text)}`,
  )
  return [
    printable(`${about}: ${money}`),
    ...(said.length === 0 ? [isWhole ? NOTHING_WRONG : NOTHING_KNOWN] : said),
    ...(lines.length === 0 ? [] : [lines.join('\n')]),
  ].join('\n\n')
}

/** Only request ids are shown, because delivery ids are long and random. */
const ID_COLUMN = 8
