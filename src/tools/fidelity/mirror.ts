/**
 * Plays recorded exchanges in a sandbox of ours, in order and at their recorded times. From the first response in which both
 * sides have an id, our id replaces the service's.
 */
import { contractOf, DEFAULT_CONTRACT } from '../../spec/contract/contract.ts'
import { pathOfTarget, splitTarget } from '../../spec/contract/endpoints.ts'
import { isObject } from '../../spec/contract/parsed-json.ts'
import type { ProfileChanges } from '../../spec/contract/profile.ts'
import { formatInstant } from '../../spec/contract/time.ts'
import { operationOf, translationOf } from '../../spec/contract/translation.ts'
import { DEFAULT_SANDBOX } from '../../spec/options/sandbox.ts'
import { composeSimulator } from '../compose.ts'
import { Comparison, type Difference, inOurWords } from './comparison.ts'
import { type RecordedExchange, type RecordedTraffic, type ServiceExchange, withJson } from './evidence.ts'
import type { PlayedSides } from './measure.ts'

/** Requests are made in this process, so nothing listens there. */
const NOWHERE = 'http://paysim.test'

/** Moving the clock is as slow as a request, and only the order of times is compared. */
const CLOCK_STEP_MS = 1_000

/** The headers that affect a response. */
const SENT_HEADERS = ['content-type', 'content-encoding', 'idempotency-key']

export async function playRecording(
  { name, exchanges }: RecordedTraffic,
  profile: ProfileChanges,
): Promise<PlayedSides> {
  const contract = contractOf(profile)
  const words = translationOf(contract)
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
  const comparison = new Comparison({
    ownSandboxes: false,
    frozen: false,
    origin: NOWHERE,
    ids: contract.ids,
  })
  const seen: ServiceExchange[] = []
  const differences: Difference[] = []
  const left: string[] = []
  let now = start ?? 0

  async function play({ asked, theirs, seenIn, at = now }: RecordedExchange): Promise<void> {
    if (at - now >= CLOCK_STEP_MS) {
      await sandbox.clock.advance(at - now)
      now = at
    }
    const { alike } = comparison
    const { method, headers } = asked
    const target = alike.inOurs(asked.target)
    const body = asked.body === undefined ? undefined : alike.inOurs(asked.body)
    const sent: Record<string, string> = {
      ...Object.fromEntries(Object.entries(headers).filter(([name]) => SENT_HEADERS.includes(name))),
      // If the service refused the key, send a wrong key too; otherwise send the sandbox's.
      'x-api-key': theirs.status === 401 ? 'wrong' : sandbox.apiKey,
    }
    const [path, query] = splitTarget(target)
    // Bypasses the HTTP server, which takes longer than the operation itself.
    const raw = await internals.answer({
      ...{ method, target, path },
      query: query === undefined ? '' : `?${query}`,
      apiKey: sent['x-api-key'],
      ip: '127.0.0.1',
      idempotencyKeys: [sent['idempotency-key'] ?? []].flat(),
      body: Buffer.from(body ?? ''),
      header: (name) => sent[name],
      origin: NOWHERE,
      connection: undefined,
    })
    const call = words ? words.ownCall(asked) : asked
    const ours = withJson(words ? words.answer(operationOf(call), raw) : raw)
    const own = withJson(inOurWords({ contract, unknownKey: contract }, call, theirs))
    pairIds(ours.json, own.json)
    const isUnknown = raw.status === 404 && theirs.status < 400
    seen.push({
      seenIn,
      asked: {
        ...asked,
        ...call,
        body: words && asked.body ? words.ownBody(operationOf(call), asked.body) : asked.body,
      },
      sentTo: asked.target,
      theirs: words ? withJson(theirs) : own,
      ...(!isUnknown && { ours }),
    })
    if (isUnknown) {
      const isPath = contract.operationAt(method, pathOfTarget(target)) === undefined
      const text = isPath ? 'unknown' : 'of a resource that was created earlier, or refused here'
      differences.push(
        ...comparison.collect(seenIn, () =>
          comparison.differ('status', 'the path', text, `answered ${theirs.status}`),
        ),
      )
    } else differences.push(...comparison.responses(ours, own, seenIn))
  }

  /** A service's ids may look like anything, even numbers, so ids are recognized by field name. */
  function pairIds(ours: unknown, theirs: unknown): void {
    if (!isObject(ours) || !isObject(theirs)) return
    for (const [name, here] of Object.entries(ours)) {
      const there = theirs[name]
      if (typeof here !== 'string' || typeof there !== 'string') pairIds(here, there)
      else if (/^id$|Id$/.test(name) && isId(here)) comparison.alike.pair(here, there)
    }
  }
  const isId = (text: string) =>
    (contract.ids.kindOf(text) ?? DEFAULT_CONTRACT.ids.kindOf(text)) !== undefined

  try {
    for (const exchange of exchanges)
      await play(exchange).catch(({ message }: Error) => {
        left.push(`${exchange.seenIn} is left out: ${message}`)
      })
  } finally {
    await simulator.close()
  }
  const { observations } = comparison
  const files = [{ file: name, name, skipped: undefined, failed: undefined, differences, observations }]
  return { exchanges: seen, files, left }
}
