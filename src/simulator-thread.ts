/** Starts the simulator of `paysim run`, from what an earlier one has compiled. */
import { keepCompiled } from './spec/compile-cache.ts'

keepCompiled()
const { serveFromThread } = await import('./tools/player/in-thread.ts')
await serveFromThread()
