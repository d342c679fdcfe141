/** Rules for headers: the one that marks a replayed response, and the rate limit headers. */
import { writes } from '../../../spec/contract/endpoints.ts'
import { keptOrMade } from '../../../spec/contract/kept-or-made.ts'
import { isObject } from '../../../spec/contract/parsed-json.ts'
import type { SeenExchange } from '../evidence.ts'
import type { Reading } from '../reading.ts'
import { fallbackOf, headerName, itemsSighting, type Known, type Noticed } from './rule.ts'

export function* replayRule({ exchanges }: Reading): Noticed {
  const key = 'idempotency.replayHeader'
  const firsts = new Map<string, SeenExchange>()
  for (const exchange of exchanges) {
    const { asked, isSuccess, theirs, ours } = exchange
    const sent = asked.headers['idempotency-key']
    if (sent === undefined || !writes(asked.method) || !isSuccess) continue
    const first = keptOrMade(firsts, JSON.stringify([sent, asked.target, asked.body]), () => exchange)
    // Another file may have sent the same request to its own sandbox.
    if (first === exchange || (ours && ours.headers['idempotent-replayed'] !== 'true')) continue
    // Only a response with the same bytes is certainly a replay.
    if (first.theirs.body !== theirs.body || !isObject(exchange.json)) continue
    const added = Object.keys(theirs.headers).filter(
      (name) => theirs.headers[name] === 'true' && first.theirs.headers[name] === undefined,
    )
    if (added.length > 1) continue
    yield { key, value: added[0] === undefined ? null : headerName(key, added[0]), exchange }
  }
}

export function* keptRefusalsRule({ exchanges }: Reading, known: Known): Noticed {
  const header = known('idempotency.replayHeader')
  // Without the header, a replayed refusal looks like a new one.
  if (typeof header !== 'string') return
  const shown = exchanges.flatMap((exchange) => {
    const { ours, theirs } = exchange
    const { status, headers } = theirs
    // A refusal before the operation is never stored, so our response must be a replay.
    const isReplay = status === ours?.status && ours.headers['idempotent-replayed'] === 'true'
    const isKept = headers[header.toLowerCase()] === 'true'
    return isReplay && status >= 400 ? [{ exchange, items: [[status, isKept] as const] }] : []
  })
  const key = 'idempotency.keptRefusals'
  yield* itemsSighting(key, shown, fallbackOf(key) as number[])
}

const RATE_HEADERS = ['limit', 'remaining', 'reset'] as const

export function* rateRule({ exchanges }: Reading): Noticed {
  for (const exchange of exchanges) {
    const { theirs } = exchange
    const names = Object.keys(theirs.headers).filter((name) => /rate-?limit/.test(name))
    const found = RATE_HEADERS.map((part) => names.filter((name) => name.endsWith(`-${part}`)))
    // If no response has them, the service's rate limit may be off.
    if (found.every(({ length }) => length === 0) || found.some(({ length }) => length > 1)) continue
    for (const [index, part] of RATE_HEADERS.entries()) {
      const key = `rateLimit.headers.${part}`
      const name = found[index]![0]
      yield { key, value: name === undefined ? null : headerName(key, name), exchange }
    }
    const reset = Number(theirs.headers[found[2]![0] ?? ''])
    const resetAs = reset > 1e9 && reset < 1e11 ? 'unix' : reset < 1e6 ? 'seconds' : undefined
    if (resetAs) yield { key: 'rateLimit.resetAs', value: resetAs, exchange }
  }
}
