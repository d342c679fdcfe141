/**
 * Formats JSON with indentation. It works on tokens instead of parsed values, so that numbers keep their digits (`1000.00`). Ids
 * become links. Shown unchanged: text that is not JSON, JSON nested too deeply, whose indentation alone can be gigabytes, and
 * text longer than a body of `/v1` may be.
 */

import { isNumberToken, jsonTokens } from '../../spec/contract/json-text.ts'
import { BODY_MAX_BYTES } from '../../spec/contract/limits.ts'
import { parsedJson } from '../../spec/contract/parsed-json.ts'
import { Code } from './blocks.tsx'
import type { Links } from './links.ts'

type Piece = { text: string; kind: 'name' | 'text' | 'number' | 'word' | 'mark' }

export function JsonView({ text, links, label }: { text: string; links?: Links; label: string }) {
  const lines = layOut(text)
  return (
    <Code label={label}>
      {lines
        ? lines.map((pieces, number) => (
            <>
              {number > 0 && '\n'}
              {pieces.map(({ text: piece, kind }) => (
                <Token text={piece} kind={kind} links={links} />
              ))}
            </>
          ))
        : text}
    </Code>
  )
}

function Token({ text, kind, links }: Piece & { links: Links | undefined }) {
  if (kind === 'mark') return <>{text}</>
  const id = text.slice(1, -1)
  if (kind === 'text' && links?.isId(id)) {
    return (
      <span class="json-text">
        "<a href={links.any(id)}>{id}</a>"
      </span>
    )
  }
  return <span class={`json-${kind}`}>{text}</span>
}

/** The same as one text, for a form and for comparing. */
export const laidOutText = (text: string): string =>
  layOut(text)
    ?.map((pieces) => pieces.map((piece) => piece.text).join(''))
    .join('\n') ?? text

/** Indented lines of tokens; undefined for a text that is shown unchanged. */
export function layOut(text: string): Piece[][] | undefined {
  if (text.length > BODY_MAX_BYTES || parsedJson(text) === undefined) return undefined
  const lines: Piece[][] = [[]]
  let depth = 0
  const add = (piece: string, kind: Piece['kind']) => lines.at(-1)!.push({ text: piece, kind })
  const newLine = () => lines.push([{ text: '  '.repeat(depth), kind: 'mark' }])
  const tokens = jsonTokens(text)
  for (const [index, token] of tokens.entries()) {
    const next = tokens[index + 1]
    if (token === '{' || token === '[') {
      add(token, 'mark')
      depth += 1
      if (next !== '}' && next !== ']') newLine()
    } else if (token === '}' || token === ']') {
      depth -= 1
      if (tokens[index - 1] !== '{' && tokens[index - 1] !== '[') newLine()
      add(token, 'mark')
    } else if (token === ',') {
      add(token, 'mark')
      newLine()
    } else if (token === ':') add(': ', 'mark')
    else add(token, kindOf(token, next))
  }
  return lines
}

function kindOf(token: string, next: string | undefined): Piece['kind'] {
  if (token.startsWith('"')) return next === ':' ? 'name' : 'text'
  return isNumberToken(token) ? 'number' : 'word'
}
