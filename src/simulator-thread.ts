/** Starts the simulator of `paysim run`, from what an earlier one has compiled. */
import { keepCompiled } from './compile-cache.ts'

keepCompiled()
const { serveFromThread } = await import('./simulator/in-thread.ts')
await serveFromThread()
