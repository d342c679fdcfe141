/** A free port for a program that cannot choose one itself. */
import { isFree } from '../src/tools/gauntlet/webhook-address.ts'

const FIRST = 10_000
const EACH = 500
/** Ports up to 20,000; the gauntlet takes those above. */
const BANDS = 20

/** Each worker has its own range of ports; another test run on this machine uses another range. */
const band = FIRST + (Number(process.env.VITEST_POOL_ID ?? 0) % BANDS) * EACH
let used = process.pid

export async function freePort(): Promise<number> {
  for (;;) {
    used += 1
    const port = band + (used % EACH)
    if (await isFree(port)) return port
  }
}
