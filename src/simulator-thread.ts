/** The simulator of `paysim run`, in its own thread. */
import { serveFromThread } from './tools/player/in-thread.ts'

void serveFromThread()
