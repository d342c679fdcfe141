import { member } from '../../spec/contract/json-text.ts'
import { SCENARIO_MAX_DEPTH } from '../../spec/contract/limits.ts'
import { shortened } from '../../spec/contract/shortened.ts'

/** What is wrong with a file, and where. */
export interface FileProblem {
  /** The value that is wrong, or the key when `of` says so. A value that is missing has the path that it should have. */
  path: PropertyKey[]
  of: 'value' | 'key'
  /** What must be true of it, such as `must be a text`. */
  predicate: string
}

/** The rest is reported once these are corrected. Each takes time: its place and what is near are searched for. */
export const MAX_PROBLEMS = 100

export const TOO_DEEP = `must not be nested deeper than ${SCENARIO_MAX_DEPTH}`

/** The path, and what must be true of the value there. */
export const problemSentence = ({ path, predicate }: Pick<FileProblem, 'path' | 'predicate'>): string =>
  `${shortened(pathText(path)) || 'the file'} ${predicate}`

const pathText = (path: readonly PropertyKey[]): string =>
  path
    .map((step) => (typeof step === 'number' ? `[${step}]` : member(String(step))))
    .join('')
    .replace(/^\./, '')
