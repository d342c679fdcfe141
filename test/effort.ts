/**
 * Scales the effort of randomized tests: the number of histories, of concurrent sandboxes, and the size of hostile files. It is 1
 * in the project `fast` and more in `long` (vitest.config.ts), which finds bugs that occur once in a thousand runs.
 */
export const EFFORT = Number(process.env.PAYSIM_TEST_EFFORT ?? 1)

/** The first rows of a table in the project `fast`, all rows in `long`. */
export const firstOf = <Row>(few: number, rows: readonly Row[]): readonly Row[] =>
  EFFORT > 1 ? rows : rows.slice(0, few)
