/** The causes of movements of money, derived from the definitions. */
import { DEFINITIONS, type Definitions, RESOURCE_NAMES, type ResourceName } from './index.ts'
import type { LedgerEffect } from './ledger.ts'
import type { MoveRow } from './resource.ts'

interface MoneyCause extends LedgerEffect {
  readonly name: ResourceName
  /** The event of the creation or move. */
  readonly event: string
  /** The field with its time. */
  readonly time: string
}

export const MONEY_CAUSES: readonly MoneyCause[] = RESOURCE_NAMES.flatMap((name) => {
  const { created, ledger, moves } = DEFINITIONS[name]
  const changes = Object.values<MoveRow>(moves).map(({ to, ledger }) => ({
    word: to,
    time: `${to}At`,
    ledger,
  }))
  return [{ word: created, time: 'createdAt', ledger }, ...changes].flatMap(({ word, time, ledger }) =>
    ledger === 'none' ? [] : [{ ...ledger, name, event: `${name}.${word}`, time }],
  )
})

/** The kinds of resources that move money. A movement names the payment and its cause. */
export const MOVING_KINDS = [...new Set(MONEY_CAUSES.map(({ name }) => name))]

/** The kinds of resources that are orders: checkouts and authorizations. */
export const PAYMENT_KINDS = RESOURCE_NAMES.filter((name) => DEFINITIONS[name].order === 'itself')

/** The kinds whose rows name a payment, such as refunds. */
export const KINDS_OF_PAYMENT = RESOURCE_NAMES.filter((name) => DEFINITIONS[name].order === 'payment')

const PAYMENT_IDS = PAYMENT_KINDS.map((kind) => `${kind}Id`)
const MOVER_IDS = KINDS_OF_PAYMENT.map((kind) => `${kind}Id`)

/** The checkout or authorization that a request's body names, such as that of POST /v1/refunds. */
export const paymentIn = (body: object): string | undefined => idIn(body, PAYMENT_IDS)

/** The checkout or authorization that a row or a movement of money names. */
export const paymentOf = (row: object): string => paymentIn(row)!

/** What moved the money, if that is not the payment itself. */
export const moverOf = (movement: object): string | undefined => idIn(movement, MOVER_IDS)

const idIn = (row: object, names: readonly string[]): string | undefined =>
  names.map((name): unknown => Reflect.get(row, name)).find((id) => typeof id === 'string')

type LedgerOf<Row> = Row extends { ledger: infer Ledger } ? Extract<Ledger, LedgerEffect> : never
type MovesOf<Name extends ResourceName> = Definitions[Name]['moves'][keyof Definitions[Name]['moves']]
type MovesMoney<Name extends ResourceName> = [LedgerOf<Definitions[Name] | MovesOf<Name>>] extends [never]
  ? never
  : Name

/** The fields of a movement with these ids. */
type MovingId = `${{ [Name in ResourceName]: MovesMoney<Name> }[ResourceName]}Id`

export const forMovingIds = <Value>(of: (kind: ResourceName) => Value) =>
  Object.fromEntries(MOVING_KINDS.map((kind) => [`${kind}Id`, of(kind)])) as Record<MovingId, Value>
