/** What it takes to arm a behavior: `paysim start` loads it with the first tester, or with what is kept and may be armed. */
import { LatePart } from '../late.ts'

export const arming = new LatePart(() => import('./armed.ts'))
