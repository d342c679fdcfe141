/** What a unit of work of a sandbox uses. */
import type { Contract } from '../contract/contract.ts'
import type { IdKind } from '../contract/ids.ts'
import type { UnitServices } from '../operations/unit.ts'
import type { SandboxConfig } from '../options/sandbox.ts'
import type { CurrentStore } from '../store/current-store.ts'
import type { Store } from '../store/store.ts'
import { createIds, type Ids } from '../world/ids.ts'
import type { Random } from '../world/random.ts'

export const idsFrom = (random: Random, contract: Contract): Ids<IdKind> =>
  createIds(random, contract.idPrefixes, contract.profile.ids.length)

/** With the database and the option as they are when a unit of work asks for them. */
export class SandboxServices implements UnitServices {
  readonly contract: UnitServices['contract']
  readonly ids: UnitServices['ids']
  readonly rules: UnitServices['rules']
  readonly bank: UnitServices['bank']
  readonly newCode: UnitServices['newCode']
  readonly refundTiming: UnitServices['refundTiming']
  readonly checkoutUrl: UnitServices['checkoutUrl']
  readonly announce: UnitServices['announce']
  readonly #database: CurrentStore
  readonly #config: SandboxConfig

  constructor(
    database: CurrentStore,
    config: SandboxConfig,
    others: Omit<UnitServices, 'store' | 'requireApproval'>,
  ) {
    this.#database = database
    this.#config = config
    this.contract = others.contract
    this.ids = others.ids
    this.rules = others.rules
    this.bank = others.bank
    this.newCode = others.newCode
    this.refundTiming = others.refundTiming
    this.checkoutUrl = others.checkoutUrl
    this.announce = others.announce
  }

  get store(): Store {
    return this.#database.store
  }

  get requireApproval(): boolean {
    return this.#config.requireApproval || this.rules.needsApproval
  }
}
