/**
 * Scales the effort of randomized tests: the number of histories, of concurrent sandboxes, and the size of hostile files. 1 in
 * the project `fast`, more in `long` (vitest.config.ts), so that a fault that occurs once in a thousand runs occurs there.
 */
export const EFFORT = Number(process.env.PAYSIM_TEST_EFFORT ?? 1)

/** The first rows of a table in a small test, all of them in a large one. */
export const firstOf = <Row>(few: number, rows: readonly Row[]): readonly Row[] =>
  EFFORT > 1 ? rows : rows.slice(0, few)
