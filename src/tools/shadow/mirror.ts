/**
 * Repeats a service's requests in a sandbox of ours. Ids are paired by their role: when both answers have an
 * id at the same place for the first time, one stands for the other from then on.
 */

import type { IdPair } from '../../pages/dashboard/real-service.ts'
import { pathOfTarget } from '../../spec/contract/endpoints.ts'
import { isObject, jsonIn } from '../../spec/contract/parsed-json.ts'
import type { Answered, Asked } from '../../spec/exchange.ts'
import { Alike } from '../../tester/alike/alike.ts'
import type { JsonFields, ServiceExchange } from '../learn/evidence.ts'
import { listField, toldBy } from '../learn/reading.ts'
import type { MirrorSandbox } from './mirror-sandbox.ts'

export interface Mirrored {
  ours: Answered
  /** Why the sandbox cannot answer: it does not have the path, or has not seen the resource being created. */
  unknown: 'path' | 'resource' | undefined
  /** Their answer, with our ids in place of theirs. */
  paired: Answered
  /** The ids in the request and in their answer that stand for one of ours. */
  ids: readonly IdPair[]
}

export class Mirror {
  readonly sandbox: MirrorSandbox
  readonly #alike = new Alike()

  constructor(sandbox: MirrorSandbox) {
    this.sandbox = sandbox
  }

  /** Plays one request; they are played one after another, in the order of the answers. */
  async play({ asked, theirs }: ServiceExchange): Promise<Mirrored> {
    const { method, target, headers, body } = asked
    const found = new Map<string, string>()
    const ours = await this.sandbox.ask({
      method,
      target: this.#alike.inOurs(target, found),
      headers: {
        ...only(headers, ['content-type', 'idempotency-key']),
        // The sandbox has another API key. A request whose key the service refused (401) is asked here with a
        // wrong key.
        'x-api-key': theirs.status === 401 ? 'wrong' : this.sandbox.apiKey,
      },
      body: body === undefined ? undefined : this.#alike.inOurs(body, found),
    })
    this.#pair(jsonIn(theirs.body), jsonIn(ours.body))
    const { location } = theirs.headers
    const paired = {
      status: theirs.status,
      headers: {
        ...theirs.headers,
        ...(location !== undefined && { location: this.#alike.inOurs(location, found) }),
      },
      body: this.#alike.inOurs(theirs.body, found),
    }
    const ids = [...found].map(([theirs, ours]) => ({ theirs, ours }))
    return { ours, unknown: this.#unknown(asked, ours, theirs), paired, ids }
  }

  /** Whether the id stands for one of the service's. */
  isPaired(ours: string): boolean {
    return this.#alike.isPaired(ours)
  }

  #unknown({ method, target }: Asked, ours: Answered, theirs: Answered): Mirrored['unknown'] {
    if (ours.status !== 404 || theirs.status >= 400) return undefined
    return this.sandbox.hasOperation(method, pathOfTarget(target)) ? 'resource' : 'path'
  }

  #pair(theirs: unknown, ours: unknown): void {
    if (!isObject(theirs) || !isObject(ours)) return
    for (const [name, own] of Object.entries(ours)) {
      const other = theirs[name]
      if (typeof own !== 'string' || typeof other !== 'string') this.#pair(other, own)
      else if (/^id$|Id$/.test(name)) this.#pairIds(other, own)
    }
    const [there, here] = [listField(theirs), listField(ours)]
    if (there && here) this.#pairEvents(there.items.filter(isObject), here.items.filter(isObject))
  }

  #pairIds(theirs: string, ours: string): void {
    if (this.sandbox.kindOf(ours) !== undefined) this.#alike.pair(ours, theirs)
  }

  /**
   * Of the items of a list only events are paired, as no answer to a request has their ids: an event is known by the resource
   * that it is about and the state that it tells of. All others are known from the answers that made them, and the
   * service may have more of them.
   */
  #pairEvents(theirs: readonly JsonFields[], ours: readonly JsonFields[]): void {
    const here = new Map(ours.map((event) => [JSON.stringify(toldBy(event)), String(event.id)]))
    for (const event of theirs) {
      const told = toldBy(event)
      const own = told && here.get(JSON.stringify({ ...told, id: this.#alike.oursFor(told.id) }))
      if (own !== undefined) this.#pairIds(String(event.id), own)
    }
  }
}

const only = (headers: Readonly<Record<string, string>>, names: readonly string[]) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => names.includes(name)))
