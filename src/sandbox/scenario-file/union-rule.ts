import { isObject } from '../../spec/contract/parsed-json.ts'

/**
 * What a value of one of several forms must be. A value of these types has its own form, whose rules then say what is wrong
 * in it: of `{ after: 3 }` that a duration is wanted.
 */
export const unlessOneOf =
  (types: readonly ('number' | 'object')[], message: string) =>
  ({ input }: { input?: unknown }): string | undefined =>
    types.some((type) => (type === 'object' ? isObject(input) : typeof input === type)) ? undefined : message
