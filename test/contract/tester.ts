/** The tester's side of a contract test: moves time, plays the buyer, and inspects the effects of a request. */

import type { Sandbox as SandboxControl, Simulator } from '../../src/index.ts'
import type { Sandbox } from '../../src/sandbox/sandbox.ts'
import { tableOf } from '../../src/service/operations/unit.ts'
import { formatMoney } from '../../src/spec/contract/money.ts'
import { RESOURCE_NAMES, type ResourceName } from '../../src/spec/contract/resources/index.ts'
import type { BuyerOptions } from '../../src/spec/contract/tester.ts'
import { formatInstant } from '../../src/spec/contract/time.ts'
import { presentState } from '../../src/tester/control/state.ts'

const EVERYTHING = { limit: 1_000 }

export class Tester {
  readonly simulator: Simulator
  /** The tester's object of the public API. */
  readonly control: SandboxControl
  /** The sandbox behind it, which only tests of this project may use. */
  readonly sandbox: Sandbox

  constructor(simulator: Simulator, sandbox: Sandbox) {
    this.simulator = simulator
    this.control = simulator.sandbox(sandbox.name)
    this.sandbox = sandbox
  }

  get now(): string {
    return formatInstant(this.sandbox.clock.now())
  }

  async advance(durationMs: number): Promise<void> {
    await this.control.clock.advance(durationMs)
  }

  approve(checkoutId: string, wish: BuyerOptions): void {
    this.control.buyer.approve(checkoutId, wish)
  }

  /** Closes the sandbox and opens it again from its database alone. */
  restart(): void {
    this.sandbox.exchange(presentState(this.sandbox))
  }

  /** Resolves once this many requests are waiting for the clock or at a gate. */
  async held(requests: number): Promise<void> {
    while (this.sandbox.behaviors.heldRequests.size < requests) await new Promise(setImmediate)
  }

  /** The types of all events, oldest first. */
  events(): string[] {
    return this.sandbox
      .committedStore()
      .events.list(EVERYTHING)
      .data.map(({ type }) => type)
      .reverse()
  }

  /** Effects other than resources: money movements, messages, and pending work. */
  writes(): string[] {
    const { ledger, outbox, agenda } = this.sandbox.committedStore()
    return [
      ...ledger.list().map(({ kind, amount }) => `${kind} ${formatMoney(amount)}`),
      ...outbox
        .list(EVERYTHING)
        .data.reverse()
        .map(({ channel, template }) => `${channel} ${template}`),
      ...agenda.list(EVERYTHING.limit).map(({ kind }) => `later ${kind}`),
    ]
  }

  /** Every row that a request can change. */
  rows(): unknown {
    const store = this.sandbox.committedStore()
    const tables = [...RESOURCE_NAMES.map((name) => tableOf<ResourceName>(store, name)), store.events]
    return [tables.map((table) => table.list(EVERYTHING).data), this.writes()]
  }
}
