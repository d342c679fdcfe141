/** Starts the simulator of `paysim run`, from what an earlier one has compiled. */
import { createRequire } from 'node:module'
import { keepCompiled } from './compile-cache.ts'

keepCompiled('simulator-thread')
const { runThread } = createRequire(import.meta.url)('./command.cjs') as typeof import('./command.ts')
await runThread()
