/** A port for a program that cannot be told to take a free one itself. */
import { FreePorts } from '../src/tools/gauntlet/free-ports.ts'

const FIRST = 10_000
const EACH = 500
/** Ports up to 20,000; the gauntlet takes those above. */
const BANDS = 20

/** Each worker of the tests has ports of its own; those of another run on this machine begin at another place. */
const band = FIRST + (Number(process.env.VITEST_POOL_ID ?? 0) % BANDS) * EACH
const ports = new FreePorts(band, EACH, process.pid)

export const freePort = (): Promise<number> => ports.next()
