/** Parses the message of a refusal (D8): which text it is, and its values. */
import { keptOrMade } from './kept-or-made.ts'
import type { Profile } from './profile.ts'
import { escapeRegExp } from './reg-exp.ts'
import { TEXTS, type TextName, type TextValues } from './texts.ts'

interface ReadMessage {
  name: TextName
  /** The values of the words in braces. */
  values: TextValues
}

interface ReadableText {
  readonly name: TextName
  readonly pattern: RegExp
}

/** The default message that this text is an instance of, with its values. */
export const readMessage = (message: string): ReadMessage | undefined => readIn(TEXTS, message)

type Texts = Profile['errors']['texts']

const readable = new WeakMap<Texts, readonly ReadableText[]>()

/** The same for the texts of a profile. */
export function readIn(texts: Texts, message: string): ReadMessage | undefined {
  for (const { pattern, name } of keptOrMade(readable, texts, () => readableTexts(texts))) {
    const found = pattern.exec(message)
    if (found) return { name, values: { ...found.groups } }
  }
  return undefined
}

/**
 * A message's texts as regular expressions. Those with the most letters outside of braces come first, because `{resource} is
 * {state}` would match nearly everything.
 */
function readableTexts(texts: Texts): ReadableText[] {
  const ownLength = (text: string) => text.replaceAll(/\{\w+\}/g, '').length
  return (Object.entries(texts) as [TextName, string][])
    .sort(([, a], [, b]) => ownLength(b) - ownLength(a))
    .map(([name, text]) => ({ name, pattern: patternOf(text) }))
}

function patternOf(text: string): RegExp {
  const seen = new Set<string>()
  const source = text.split(/\{(\w+)\}/).map((part, index) => {
    if (index % 2 === 0) return escapeRegExp(part)
    if (seen.has(part)) return `\\k<${part}>`
    seen.add(part)
    return `(?<${part}>.+?)`
  })
  return new RegExp(`^${source.join('')}$`, 's')
}
