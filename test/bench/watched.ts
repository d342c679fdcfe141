/** What watching costs: the same load without and with the dashboard open, in turns. */
import { type Call, type Measure, median, startClient, type Turn } from './measure.ts'
import { type Server, startPaysim } from './server.ts'

export const watched =
  (call: Call): Measure =>
  async ({ rounds, roundMs }) => {
    const paysim = await startPaysim()
    const client = startClient()
    const load = () => client.load(paysim, call, 201, roundMs)
    try {
      await load()
      const turns: { alone: Turn; watched: Turn }[] = []
      for (let round = 0; round < rounds; round++) {
        const alone = await load()
        const stopWatching = await watch(paysim)
        turns.push({ alone, watched: await load() })
        stopWatching()
      }
      const middle = (pick: (turn: (typeof turns)[number]) => number) => median(turns.map(pick))
      const rates = [middle((turn) => turn.watched.perSecond), middle((turn) => turn.alone.perSecond)]
      return {
        samples: turns.map((turn) => turn.watched.perSecond / turn.alone.perSecond),
        unit: 'of unwatched',
        detail: [
          rates.map((rate) => `${Math.round(rate).toLocaleString('en')}/s`).join(' of '),
          `${middle((turn) => turn.alone.cpuEach / turn.watched.cpuEach).toFixed(2)} by CPU time`,
        ].join('; '),
      }
    } finally {
      client.stop()
      await paysim.stop()
    }
  }

/** Reads the live stream as a browser does, and throws it away. */
async function watch({ url }: Server): Promise<() => void> {
  const closed = new AbortController()
  const { body } = await fetch(`${url}/_sim/ui/live`, { signal: closed.signal })
  const reading = async () => {
    for await (const _ of body!);
  }
  reading().catch(() => {})
  return () => closed.abort()
}
