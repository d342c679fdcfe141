import { member } from '../../spec/contract/json-text.ts'
import { SCENARIO_MAX_DEPTH } from '../../spec/contract/limits.ts'
import { shortened } from '../../spec/contract/shortened.ts'

/** A problem of a file, and its place. */
export interface FileProblem {
  /** The path to the invalid or missing value; to the invalid key if `of` is `key`. */
  path: PropertyKey[]
  of: 'value' | 'key'
  /** The rule, as the end of a sentence, such as `must be a text`. */
  predicate: string
}

/** The most problems that are reported at a time: each needs a search for its place and for a suggestion. */
export const MAX_PROBLEMS = 100

export const TOO_DEEP = `must not be nested deeper than ${SCENARIO_MAX_DEPTH}`

/** The path and the rule in one sentence. */
export const problemSentence = ({ path, predicate }: Pick<FileProblem, 'path' | 'predicate'>): string =>
  `${shortened(pathText(path)) || 'the file'} ${predicate}`

const pathText = (path: readonly PropertyKey[]): string =>
  path
    .map((step) => (typeof step === 'number' ? `[${step}]` : member(String(step))))
    .join('')
    .replace(/^\./, '')
