/**
 * Formats JSON with indentation. It works on tokens instead of parsed values, so that numbers keep their digits (`1000.00`). Ids
 * become links. Shown unchanged: text that is not JSON, JSON nested too deeply, whose indentation alone can be gigabytes, and
 * text longer than a body of `/v1` may be.
 */

import { jsonTokens } from '../../spec/contract/json-text.ts'
import { BODY_MAX_BYTES } from '../../spec/contract/limits.ts'
import { parsedJson } from '../../spec/contract/parsed-json.ts'
import { Code, withLinks } from './blocks.tsx'
import type { Links } from './links.ts'

export function JsonView({ text, links, label }: { text: string; links: Links; label: string }) {
  return (
    <Code label={label}>
      {layOut(text)?.map((piece, index, pieces) => {
        if (pieces[index + 1] === ': ') return <span class="soft">{piece}</span>
        return piece.startsWith('"') ? <span class="json-text">{withLinks(piece, links, true)}</span> : piece
      }) ?? text}
    </Code>
  )
}

/** The same as one text, for a form. */
export const laidOutText = (text: string): string => layOut(text)?.join('') ?? text

/** The tokens with the white space between them; undefined for a text that is shown unchanged. */
function layOut(text: string): string[] | undefined {
  if (text.length > BODY_MAX_BYTES || parsedJson(text) === undefined) return undefined
  let depth = 0
  const newLine = () => `\n${'  '.repeat(depth)}`
  return jsonTokens(text).flatMap((token, index, tokens) => {
    if (token === '{' || token === '[') {
      depth += 1
      return /^[}\]]/.test(tokens[index + 1]!) ? token : [token, newLine()]
    }
    if (token === '}' || token === ']') {
      depth -= 1
      return /^[{[]/.test(tokens[index - 1]!) ? token : [newLine(), token]
    }
    return token === ',' ? [token, newLine()] : token === ':' ? ': ' : token
  })
}
