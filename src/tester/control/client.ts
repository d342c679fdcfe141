/**
 * `paysim/control`: controls a simulator in another process. `connect` returns an object with the methods of an embedded
 * simulator; each returns a promise, and a refusal is thrown as the same error. It needs `fetch` and no part of the server.
 */

import { didYouMean } from '../../spec/contract/suggest.ts'
import type { WebhookSettings } from '../../spec/options/sandbox.ts'
import { uniqueName } from '../../spec/world/unique-name.ts'
import { SANDBOX_ADDRESSES, SIMULATOR_ADDRESSES } from './addresses.ts'
import type { NewSandbox, OpenedSandbox, Sandboxes, SandboxIdentity } from './control.ts'
import { type Remote, type RemoteBase, remoteMethods } from './remote-call.ts'
import type { RemoteMethods } from './sandbox-verbs.ts'
import type { SandboxDescription } from './shapes.ts'

/** The embedded sandbox's methods, each returning a promise. */
export interface RemoteSandbox extends RemoteMethods, SandboxIdentity {}

export interface RemoteSimulator extends Remote<Pick<Sandboxes, 'remove'>> {
  /** The sandbox of that name, created with these options if there is none; refused if it has other settings. */
  sandbox(name: string, options?: OpenedSandbox): Promise<RemoteSandbox>
  /** A new sandbox; refused if the name is taken. */
  create(options?: NewSandbox): Promise<RemoteSandbox>
  sandboxes(): Promise<RemoteSandbox[]>
  /** The sandbox of that name; refused if there is none. */
  find(name: string): Promise<RemoteSandbox>
}

export interface ConnectOptions {
  /** The simulator's `--admin-token`. */
  adminToken?: string | undefined
}

/** Sends nothing yet, so the simulator may be started later. */
export function connect(address: string | URL, options: ConnectOptions = {}): RemoteSimulator {
  const unknown = Object.keys(options).find((name) => name !== 'adminToken')
  if (unknown !== undefined)
    throw new TypeError(`${unknown} is unknown here${didYouMean(unknown, ['adminToken'])}`)
  const { adminToken } = options
  const base = `${String(address).replace(/\/+$/, '')}/_sim`
  const headers: Record<string, string> =
    adminToken === undefined ? {} : { authorization: `Bearer ${adminToken}` }
  const simulator = remoteMethods(SIMULATOR_ADDRESSES, { base, headers })

  const open = (description: SandboxDescription): RemoteSandbox => {
    // Another service may answer every path, so the simulator is recognized by its description before anything is changed.
    if (typeof description?.name !== 'string' || typeof description.signingSecret !== 'string')
      throw new Error(`What answers at ${new URL(base).origin} is not a paysim`)
    return remoteSandbox(description, {
      base: `${base}/sandboxes/${encodeURIComponent(description.name)}`,
      headers,
    })
  }

  const find = async (name: string) => open(await simulator.get(name))
  const create = async ({ name, ...options }: NewSandbox = {}) => {
    const body = asBody(options)
    return open(await simulator.createNamed(name ?? newName(body), body))
  }

  return {
    find,
    create,
    remove: simulator.remove,
    sandboxes: async () => (await simulator.list()).map(open),
    sandbox: async (name, options = {}) => open(await simulator.open(name, asBody(options))),
  }
}

/**
 * The name of a copy starts with its source's: a proxy in front of many processes routes by the part before `--`, and the copy
 * must be in the process of its source.
 */
function newName({ from }: { from: unknown }): string {
  const source = typeof from === 'string' ? from : (from as { sandbox?: string } | undefined)?.sandbox
  return uniqueName(source === undefined ? 'sandbox-' : `${source}--`)
}

/** A source sandbox is sent as its name. */
const asBody = ({ from, ...options }: Omit<NewSandbox, 'name'>) => ({
  ...options,
  from: typeof from === 'object' && 'apiKey' in from ? from.name : from,
})

function remoteSandbox(
  { name, apiKey, signingSecret: first }: SandboxDescription,
  base: RemoteBase,
): RemoteSandbox {
  const remote = remoteMethods(SANDBOX_ADDRESSES, base)
  let signingSecret = first

  async function describe() {
    const description = await remote.describe()
    signingSecret = description.signingSecret
    return description
  }

  return {
    ...remote,
    name,
    apiKey,
    /** From the latest response that had it. */
    get signingSecret() {
      return signingSecret
    },
    describe,
    webhook: {
      ...remote.webhook,
      async put(settings: WebhookSettings) {
        const endpoint = await remote.webhook.put(settings)
        signingSecret = endpoint.secret
        return endpoint
      },
      async remove() {
        await remote.webhook.remove()
        await describe()
      },
    },
  }
}
