/**
 * How hard a test tries that grows with patience: histories by chance, sandboxes at once, the size of a hostile file. It is 1
 * in the project `fast` and more in `long` (vitest.config.ts), so that a fault that shows once in a thousand runs
 * shows there.
 */
export const EFFORT = Number(process.env.PAYSIM_TEST_EFFORT ?? 1)

/** The first rows of a table in a small test, all of them in a large one. */
export const firstOf = <Row>(few: number, rows: readonly Row[]): readonly Row[] =>
  EFFORT > 1 ? rows : rows.slice(0, few)
