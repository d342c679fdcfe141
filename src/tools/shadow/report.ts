/** `paysim shadow --report json=FILE`, for other programs. */
import type { ShadowList } from './shadow-list.ts'

export function shadowReport(list: ShadowList): string {
  const { target, count, differing } = list
  const requests = list.exchanges.map((exchange) => {
    const { number, at, method, target, theirs, ours, ids, notes } = exchange
    return {
      number,
      at: new Date(at).toISOString(),
      call: `${method} ${target}`,
      theirs: theirs.status,
      ours: ours.status,
      ids,
      differences: list.differencesOf(exchange),
      notes,
    }
  })
  const keys = list.learned().keys.map(({ key, value, decision, evidence }) => ({
    key,
    value,
    decision,
    evidence,
  }))
  return `${JSON.stringify({ target, count, differing, keys, requests }, null, 2)}\n`
}
