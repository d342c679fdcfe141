/** The services of a sandbox's units of work. */
import { needsApproval } from '../service/environments/rules.ts'
import type { UnitServices } from '../service/operations/unit.ts'
import type { CurrentStore } from '../service/store/current-store.ts'
import type { Store } from '../service/store/store.ts'
import type { Contract } from '../spec/contract/contract.ts'
import type { IdKind } from '../spec/contract/ids.ts'
import type { SandboxConfig } from '../spec/options/sandbox.ts'
import { createIds, type Ids, type Random } from '../spec/world/random.ts'

export const idsFrom = (random: Random, contract: Contract): Ids<IdKind> =>
  createIds(random, contract.idPrefixes, contract.profile.ids.length)

/** `store` and `requireApproval` are read when they are used: the database may be replaced. */
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
    return needsApproval(this.#config, this.rules)
  }
}
