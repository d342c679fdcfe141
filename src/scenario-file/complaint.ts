import { member } from './matcher.ts'

/** What is wrong with a file, and where. */
export interface FileProblem {
  /** The value that is wrong, or the key when `of` says so. */
  path: PropertyKey[]
  of: 'value' | 'key'
  message: string
}

/** A complaint reads as a sentence: the place, and what must be so there. */
export const problemSentence = (path: readonly PropertyKey[], predicate: string): string =>
  `${written(path) || 'the file'} ${predicate}`

const written = (path: readonly PropertyKey[]): string =>
  path
    .map((step) => (typeof step === 'number' ? `[${step}]` : member(String(step))))
    .join('')
    .replace(/^\./, '')
