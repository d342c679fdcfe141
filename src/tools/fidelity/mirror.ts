/**
 * Plays recorded exchanges in a sandbox of ours, in order and at their recorded times. From the first response in which both
 * sides have an id, our id replaces the service's.
 */
import { contractOf } from '../../spec/contract/contract.ts'
import { pathOfTarget, splitTarget } from '../../spec/contract/endpoints.ts'
import { isObject } from '../../spec/contract/parsed-json.ts'
import type { ProfileChanges } from '../../spec/contract/profile.ts'
import { formatInstant } from '../../spec/contract/time.ts'
import { operationOf, Translation } from '../../spec/contract/translation.ts'
import { DEFAULT_SANDBOX } from '../../spec/options/sandbox.ts'
import { composeSimulator } from '../compose.ts'
import { Comparison, type Difference, inOurWords } from './comparison.ts'
import { jsonOf, type RecordedTraffic, type ServiceExchange } from './evidence.ts'
import type { FileDifferences, PlayedSides } from './measure.ts'

/** Requests are made in this process, so nothing listens there. */
const NOWHERE = 'http://paysim.test'

/** Moving the clock is as slow as a request, and only the order of times is compared. */
const CLOCK_STEP_MS = 1_000

/** The headers that affect a response. */
const SENT_HEADERS = ['content-type', 'content-encoding']

export async function playRecording(
  { name, exchanges }: RecordedTraffic,
  profile: ProfileChanges,
): Promise<PlayedSides> {
  const contract = contractOf(profile)
  const words = new Translation(contract)
  const start = exchanges[0]?.at
  const { simulator, internalsOf } = composeSimulator({
    profile,
    // Off, because the recorded service already limited the requests.
    rateLimit: 'off',
    log: 'silent',
    ...(start !== undefined && { clock: { mode: 'frozen', at: formatInstant(start) } }),
  })
  const sandbox = simulator.sandbox(DEFAULT_SANDBOX)
  const internals = internalsOf(DEFAULT_SANDBOX)
  const { ids } = contract
  const comparison = new Comparison({ ownSandboxes: false, frozen: false, origin: NOWHERE, ids })
  const { alike } = comparison
  const seen: ServiceExchange[] = []
  const differences: Difference[] = []
  const failed: FileDifferences[] = []
  let now = start ?? 0

  async function play(exchange: ServiceExchange): Promise<void> {
    const { asked, theirs, seenIn, at = now } = exchange
    if (at - now >= CLOCK_STEP_MS) {
      await sandbox.clock.advance(at - now)
      now = at
    }
    const { method, headers, body = '' } = asked
    const target = alike.inOurs(asked.target)
    const [path, query] = splitTarget(target)
    // Bypasses the HTTP server, which takes longer than the operation itself.
    const raw = await internals.answer({
      ...{ method, target, path },
      query: query === undefined ? '' : `?${query}`,
      // If the service refused the key, a wrong key is sent here too.
      apiKey: theirs.status === 401 ? 'wrong' : sandbox.apiKey,
      ip: '127.0.0.1',
      idempotencyKeys: [headers['idempotency-key'] ?? []].flat(),
      body: Buffer.from(alike.inOurs(body)),
      header: (name) => (SENT_HEADERS.includes(name) ? headers[name] : undefined),
      origin: NOWHERE,
      connection: undefined,
    })
    const call = words.ownCall(asked)
    const operation = operationOf(call)
    const ours = words.answer(operation, raw)
    const own = inOurWords({ contract, unknownKey: contract }, call, theirs)
    pairIds(jsonOf(ours), jsonOf(own))
    const isUnknown = raw.status === 404 && theirs.status < 400
    seen.push({
      ...{ ...exchange, sentTo: asked.target, ours: isUnknown ? undefined : ours },
      asked: { ...asked, ...call, body: asked.body && words.ownBody(operation, asked.body) },
    })
    const isPath = contract.operationAt(method, pathOfTarget(target)) === undefined
    const unknown = isPath ? 'unknown' : 'of a resource that does not exist'
    const found = isUnknown
      ? comparison.collect(seenIn, () =>
          comparison.differ('status', 'the path', unknown, `answered ${theirs.status}`),
        )
      : comparison.responses(ours, own, seenIn)
    differences.push(...found)
  }

  /** A service's ids may look like anything, even numbers, so ids are recognized by field name. */
  function pairIds(ours: unknown, theirs: unknown): void {
    if (!isObject(ours) || !isObject(theirs)) return
    for (const [name, here] of Object.entries(ours)) {
      const there = theirs[name]
      if (typeof here !== 'string' || typeof there !== 'string') pairIds(here, there)
      else if (/^id$|Id$/.test(name) && ids.kindOf(here)) alike.pair(here, there)
    }
  }

  try {
    for (const exchange of exchanges)
      await play(exchange).catch(({ message }: Error) => {
        failed.push({ file: name, name: exchange.seenIn, failed: message, differences: [], observations: 0 })
      })
  } finally {
    await simulator.close()
  }
  const { observations } = comparison
  return { exchanges: seen, files: [{ file: name, name, differences, observations }, ...failed] }
}
