/**
 * `paysim/control`: steers a simulator in another process. What `connect` gives reads like what embedding gives, only that
 * everything is waited for; a refusal is thrown as the same error. It needs `fetch` and nothing of the server.
 */

import { ApiError } from './contract/api-error.ts'
import { PAGE_MAX_ROWS } from './contract/limits.ts'
import type { NewSandbox, SandboxControl, Sandboxes } from './control/control.ts'
import {
  type RemoteCall,
  remoteCaller,
  type SandboxRoute,
  type SimulatorRoute,
} from './control/remote-call.ts'
import type { SandboxDescription } from './control/shapes.ts'
import type { BehaviorInput } from './scenario-file/behavior.ts'

export { ApiError } from './contract/api-error.ts'

/** The same object, from afar: every method is waited for. */
type Remote<Near> = {
  readonly [Name in keyof Near]: Near[Name] extends (...args: infer Args) => infer Answer
    ? (...args: Args) => Promise<FromAfar<Awaited<Answer>>>
    : Near[Name] extends string
      ? Near[Name]
      : Remote<Near[Name]>
}

type FromAfar<Answer> = Answer extends SandboxControl
  ? RemoteSandbox
  : Answer extends SandboxControl[]
    ? RemoteSandbox[]
    : Answer

export interface RemoteSandbox extends Remote<SandboxControl> {}
export interface RemoteSimulator extends Remote<Sandboxes> {}

export interface ConnectOptions {
  /** What the simulator was given as `--admin-token`. */
  adminToken?: string | undefined
}

/** Asks nothing yet, so it may come before the simulator. */
export function connect(address: string | URL, { adminToken }: ConnectOptions = {}): RemoteSimulator {
  const base = `${String(address).replace(/\/+$/, '')}/_sim`
  const headers: Record<string, string> =
    adminToken === undefined ? {} : { authorization: `Bearer ${adminToken}` }
  const ask = remoteCaller<SimulatorRoute>(base, headers)

  const remote = (told: SandboxDescription): RemoteSandbox =>
    remoteSandbox(
      told,
      ask,
      remoteCaller<SandboxRoute>(`${base}/sandboxes/${encodeURIComponent(told.name)}`, headers),
    )

  const find = async (name: string) =>
    remote(await ask('GET /sandboxes/{sandbox}', { params: { sandbox: name } }))

  const create = async (options: NewSandbox = {}) =>
    remote(await ask('POST /sandboxes', { body: written(options) }))

  return {
    find,
    create,
    sandboxes: async () => (await ask('GET /sandboxes')).data.map(remote),
    async remove(name) {
      await ask('DELETE /sandboxes/{sandbox}', { params: { sandbox: name } })
    },
    metrics: async () => String(await ask('GET /metrics')),
    /** Of two that ask for the same new name at once, the second one finds it made. */
    sandbox: (name, options = {}) =>
      find(name)
        .catch(unless(404, () => create({ ...options, name })))
        .catch(unless(409, (taken) => find(name).catch(unless(404, () => Promise.reject(taken))))),
  }
}

const unless =
  <Answer>(status: number, otherwise: (cause: ApiError) => Promise<Answer>) =>
  (cause: unknown) => {
    if (cause instanceof ApiError && cause.status === status) return otherwise(cause)
    throw cause
  }

type WrittenSandbox = (SimulatorRoute & { address: 'POST /sandboxes' })['body']

/** A sandbox to start from goes by its name. */
const written = ({ from, ...options }: NewSandbox) =>
  ({
    ...options,
    from: typeof from === 'object' && 'apiKey' in from ? from.name : from,
  }) as WrittenSandbox

function remoteSandbox(
  first: SandboxDescription,
  askSimulator: RemoteCall<SimulatorRoute>,
  ask: RemoteCall<SandboxRoute>,
): RemoteSandbox {
  const { name, apiKey } = first
  let { signingSecret } = first

  async function describe() {
    const told = await askSimulator('GET /sandboxes/{sandbox}', { params: { sandbox: name } })
    signingSecret = told.signingSecret
    return told
  }

  return {
    name,
    apiKey,
    /** As it was when it was last heard of. */
    get signingSecret() {
      return signingSecret
    },
    describe,

    clock: {
      now: async () => Date.parse((await ask('GET /clock')).now),
      read: () => ask('GET /clock'),
      freeze: async () => reading(await ask('POST /clock', { body: { freeze: true } })),
      resume: async () => reading(await ask('POST /clock', { body: { resume: true } })),
      advance: async (by) => (await ask('POST /clock', { body: { advance: by } })).happened,
      set: async (to) => (await ask('POST /clock', { body: { set: timeOf(to) } })).happened,
    },
    settle: async (options) => void (await ask('POST /settle', { query: patience(options) })),

    ledger: () => ask('GET /ledger'),
    outbox: async () => (await ask('GET /outbox')).data,
    clearOutbox: async () => void (await ask('DELETE /outbox')),
    events: (filter) => pages(filter, (query) => ask('GET /events', { query })),
    emit: (event) => ask('POST /events', { body: event }),

    webhook: {
      get: () => ask('GET /webhook'),
      async put({ events, ...settings }) {
        const endpoint = await ask('PUT /webhook', {
          body: { ...settings, events: events && [...events] },
        })
        signingSecret = endpoint.secret
        return endpoint
      },
      async remove() {
        await ask('DELETE /webhook')
        await describe()
      },
    },
    deliveries: (filter) => pages(filter, (query) => ask('GET /deliveries', { query })),
    redeliver: (id) => ask('POST /deliveries/{id}/redeliver', { params: { id } }),

    requests: ({ since, status, ...filter } = {}) =>
      pages(
        {
          ...filter,
          since: since === undefined ? undefined : String(timeOf(since)),
          status: status === undefined ? undefined : String(status),
        },
        (query) => ask('GET /requests', { query }),
      ),
    request: (id) => ask('GET /requests/{id}', { params: { id } }),
    explain: async (id) => {
      const query = { format: 'text' } as const
      const text =
        id === undefined
          ? await ask('GET /requests', { query })
          : await ask('GET /requests/{id}', { params: { id }, query })
      return String(text).replace(/\n$/, '')
    },
    verify: (expectation, options) => ask('POST /verify', { body: expectation, query: patience(options) }),
    clearRequests: async () => void (await ask('DELETE /requests')),

    refunds: { complete: (id) => ask('POST /refunds/{id}/complete', { params: { id } }) },
    paymentMethods: {
      attach: (id, method = {}) =>
        ask('POST /customers/{id}/payment-methods', { params: { id }, body: method }),
    },
    buyer: {
      approve: (id, wish = {}) => ask('POST /checkouts/{id}/approve', { params: { id }, body: wish }),
      decline: (id, wish = {}) => ask('POST /checkouts/{id}/decline', { params: { id }, body: wish }),
    },

    arm: async (scenario) => (await ask('POST /behaviors', { body: await bytesOf(scenario) })).data,
    replaceBehaviors: async (scenario) =>
      (await ask('PUT /behaviors', { body: await bytesOf(scenario) })).data,
    behaviors: async () => (await ask('GET /behaviors')).data,
    disarm: async (id) =>
      void (id === undefined
        ? await ask('DELETE /behaviors')
        : await ask('DELETE /behaviors/{id}', { params: { id } })),
    release: async (gate) => (await ask('POST /gates/{name}/release', { params: { name: gate } })).data,
    held: async (gate, options) =>
      (await ask('GET /gates/{name}', { params: { name: gate }, query: patience(options) })).data,

    reset: async ({ what } = {}) => void (await ask('POST /reset', { body: { what: what && [...what] } })),
    snapshot: (given) => ask('POST /snapshots', { body: { name: given } }),
    restore: async (given) => void (await ask('POST /snapshots/{name}/restore', { params: { name: given } })),
    snapshots: {
      list: async () => (await ask('GET /snapshots')).data,
      get: async (given) => (await ask('GET /snapshots/{name}', { params: { name: given } })) as Uint8Array,
      put: (given, bytes) => ask('PUT /snapshots/{name}', { params: { name: given }, body: bytes }),
      remove: async (given) => void (await ask('DELETE /snapshots/{name}', { params: { name: given } })),
    },

    magic: async () => (await ask('GET /magic')).data as Awaited<ReturnType<RemoteSandbox['magic']>>,
    decisions: async () =>
      (await ask('GET /decisions')).data as Awaited<ReturnType<RemoteSandbox['decisions']>>,
  }
}

const reading = ({ now, frozen }: { now: string; frozen: boolean }) => ({ now, frozen })

const timeOf = <Time>(time: Time | Date | number) =>
  time instanceof Date || typeof time === 'number' ? new Date(time).toISOString() : time

/** A query is text, in which a number alone is no duration. */
const patience = ({ within }: { within?: string | number | undefined } = {}) => ({
  within: typeof within === 'number' ? `${within}ms` : within,
})

/** Behaviors travel as a person would write them. What writes them is large, and most tests arm nothing. */
async function bytesOf(scenario: BehaviorInput): Promise<Uint8Array> {
  const { behaviorsAsWritten } = await import('./scenario-file/format.ts')
  return new TextEncoder().encode(JSON.stringify(behaviorsAsWritten(scenario)))
}

interface Window {
  limit?: number | undefined
  cursor?: string | undefined
}

/** The server hands out pages, the latest one first; here they are one list again, in the order of what happened. */
async function pages<Item, Filter extends Window>(
  filter: Filter = {} as Filter,
  read: (
    query: Omit<Filter, 'limit'> & { limit: string },
  ) => Promise<{ data: Item[]; nextCursor: string | null }>,
): Promise<Item[]> {
  const { limit = Number.POSITIVE_INFINITY } = filter
  const found: Item[][] = []
  let missing = limit
  let cursor = filter.cursor ?? null
  do {
    const window = { limit: String(Math.min(missing, PAGE_MAX_ROWS)), ...(cursor !== null && { cursor }) }
    const page = await read({ ...filter, ...window })
    found.unshift(page.data)
    missing -= page.data.length
    cursor = page.nextCursor
  } while (cursor !== null && missing > 0)
  return found.flat()
}
