import { shortened } from '../contract/shortened.ts'
import { member } from './matcher.ts'

/** What is wrong with a file, and where. */
export interface FileProblem {
  /** The value that is wrong, or the key when `of` says so. */
  path: PropertyKey[]
  of: 'value' | 'key'
  message: string
}

/** A sentence: the path, and what must be true of the value there. */
export const problemSentence = (path: readonly PropertyKey[], predicate: string): string =>
  `${shortened(pathText(path)) || 'the file'} ${predicate}`

const pathText = (path: readonly PropertyKey[]): string =>
  path
    .map((step) => (typeof step === 'number' ? `[${step}]` : member(String(step))))
    .join('')
    .replace(/^\./, '')
