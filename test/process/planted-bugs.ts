/** The programs of test/programs in a temporary folder, one of them with a planted bug. */
import { folder } from '../given.ts'
import { BUGS, copyPrograms, PROGRAMS as OF_ALL } from '../programs/bugs.mjs'

export { BUGS }

const { 'server.mjs': buyer, ...shops } = OF_ALL

/** Four small, realistic shops, with default timing. */
export const PROGRAMS = shops

export type ProgramName = keyof typeof PROGRAMS

/** A shop that runs in its own process, and its tests. */
export const SERVER = 'server.mjs'
export const BUYER = buyer

/** Copies the programs, one of them with a bug, to a folder that is removed after the test. */
export function programsWith(bug?: string): string {
  const copy = folder()
  copyPrograms(copy, bug)
  return copy
}

/** Masks the parts of the gauntlet's output that vary between runs: times, counts and request ids. */
export const comparable = (output: string): string =>
  output
    .replaceAll(/\d+× +[\d.]+ m?s/g, '1× 1 s')
    .replaceAll(/req_\d+/g, 'req_1')
    .replaceAll(/\d+ of 10 more/g, '10 of 10 more')
