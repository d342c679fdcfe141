import { isObject } from '../../spec/contract/parsed-json.ts'

/**
 * The error of a union for a value of none of its types. For a value of one of `types` it is undefined, so that zod reports the
 * mistake inside the form: for `{ after: 3 }`, that a duration is expected.
 */
export const unlessOneOf =
  (types: readonly ('number' | 'object')[], message: string) =>
  ({ input }: { input?: unknown }): string | undefined =>
    types.some((type) => (type === 'object' ? isObject(input) : typeof input === type)) ? undefined : message
