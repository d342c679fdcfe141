/** Times differ from run to run, so they are compared only by their order. */
import { isTime } from '../../spec/contract/time.ts'

export const areTimes = (...texts: readonly string[]): boolean => texts.every(isTime)
