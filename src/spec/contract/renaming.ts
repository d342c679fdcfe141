/** Names in the default words and in a profile's. */
import type { JsonObject } from './wire.ts'

type Names = Readonly<Record<string, string>>

/**
 * Renames words one to one, in both directions. A word that only one side has may be spelled like a word of the other side; it
 * then gets a name that the other side does not have, so that it stays unknown there.
 */
export class Renaming {
  /** Only the words that differ: the profile's by default word, and the reverse. */
  readonly theirs: Names
  readonly ours: Names

  /** All words of a list, in the form of a message. */
  readonly list: { readonly ours: string; readonly theirs: string }

  constructor(names: Names) {
    this.list = { ours: Object.keys(names).join(', '), theirs: Object.values(names).join(', ') }
    this.ours = inverted(
      Object.fromEntries(Object.entries(names).filter(([ours, theirs]) => ours !== theirs)),
    )
    this.theirs = inverted(this.ours)
  }

  get isEmpty(): boolean {
    return Object.keys(this.theirs).length === 0
  }

  write = (ours: string): string => renamed(ours, this.theirs, this.ours)

  read = (theirs: string): string => renamed(theirs, this.ours, this.theirs)
}

function renamed(word: string, forth: Names, back: Names): string {
  if (Object.hasOwn(forth, word)) return forth[word]!
  let unknown = word
  while (Object.hasOwn(back, unknown)) unknown = back[unknown]!
  return unknown
}

/** Swaps keys and values: `{ own: 'name' }` becomes `{ name: 'own' }`. */
export const inverted = (words: Names): Record<string, string> =>
  Object.fromEntries(Object.entries(words).map(([name, value]) => [value, name]))

/** A copy of the object with its fields renamed. */
export const withKeys = (object: JsonObject, renamed: (name: string) => string): JsonObject =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [renamed(name), value]))

export const withNames = (object: JsonObject, names: Names): JsonObject =>
  withKeys(object, (name) => nameIn(names, name))

/** The name of a word, which may be one of Object's own, such as `constructor`; default: the word itself. */
export const nameIn = (names: Names, word: string): string =>
  Object.hasOwn(names, word) ? names[word]! : word

/** The text with each of these words replaced. */
export const renamedIn = (text: string, names: Names): string =>
  text.replaceAll(/\w+/g, (word) => nameIn(names, word))
