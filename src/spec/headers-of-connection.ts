/** The headers that a proxy passes on: all but those of one connection. */

/** RFC 9110, 7.6.1. `trailer` is among them because trailers are not passed on (6.5.1). */
const OF_CONNECTION = [
  ...['connection', 'proxy-connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
]

export const headerPairs = (raw: readonly string[]): [name: string, value: string][] =>
  raw.flatMap((name, index): [string, string][] => (index % 2 === 0 ? [[name, raw[index + 1]!]] : []))

/** Name and value of each header, without those that `Connection` names and those in `own`. */
export function passedOnHeaders(raw: readonly string[], own: readonly string[] = []): [string, string][] {
  const all = headerPairs(raw)
  const named = all
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.toLowerCase().split(','))
    .map((name) => name.trim())
  const left = new Set([...OF_CONNECTION, ...own, ...named])
  return all.filter(([name]) => !left.has(name.toLowerCase()))
}
