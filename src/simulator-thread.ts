/** The simulator of `paysim run`, in a thread of its own. */
import { serveFromThread } from './tools/player/in-thread.ts'

void serveFromThread()
