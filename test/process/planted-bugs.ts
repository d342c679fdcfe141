/** The programs of test/programs in a folder of the test, one of them with a planted bug. */
import { folder } from '../given.ts'
import { BUGS, copyPrograms, PROGRAMS as OF_ALL } from '../programs/bugs.mjs'

export { BUGS }

const { 'server.mjs': buyer, ...shops } = OF_ALL

/** Four small shops as people write them, with default timing. */
export const PROGRAMS = shops

export type ProgramName = keyof typeof PROGRAMS

/** The receiver of their webhooks, in its own process. */
export const RECEIVER = 'receiver.py'

/** A shop in its own process, and its tests. */
export const SERVER = 'server.mjs'
export const BUYER = buyer

/** The folder of the programs, one of them with a bug; removed after the test. */
export function programsWith(bug?: string): string {
  const copy = folder()
  copyPrograms(copy, bug)
  return copy
}

/** The gauntlet's output without what differs from run to run: times, counts and the ids of requests. */
export const comparable = (output: string): string =>
  output
    .replaceAll(/\d+× +[\d.]+ m?s/g, '1× 1 s')
    .replaceAll(/req_\d+/g, 'req_1')
    .replaceAll(/\d+ of 10 more/g, '10 of 10 more')
