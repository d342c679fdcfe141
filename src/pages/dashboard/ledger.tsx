/** The ledger: the movements of money that production would make, newest first, and their sums. */

import { capitalized, counted } from '../../spec/contract/counted.ts'
import { fromMajor } from '../../spec/contract/money.ts'
import { LEDGER_KIND_NAMES, LEDGER_KINDS, type LedgerKind } from '../../spec/contract/resources/ledger.ts'
import { KINDS_OF_PAYMENT, moverOf, paymentOf } from '../../spec/contract/resources/movements.ts'
import type { Browse } from '../../tester/control/browse.ts'
import { MoneyText, type Term, Terms } from '../blocks.tsx'
import { Section } from './blocks.tsx'
import { type FilterField, listPage } from './list-page.tsx'
import { ROWS_SHOWN, routeTo } from './page-request.ts'
import { ResourceTable } from './resources.tsx'

const LEDGER_FILTERS: readonly FilterField[] = [
  { name: 'kind', label: 'Movement', options: LEDGER_KIND_NAMES },
]

/** The column of the refund or the capture that moved the money. */
const MOVER = KINDS_OF_PAYMENT.join(' or ')

export const ledgerPage = routeTo('/ledger', (request) => {
  const { browse } = request
  const { links } = request.view
  return listPage(request, {
    title: 'Ledger',
    thing: 'movement',
    fields: LEDGER_FILTERS,
    read: (where, cursor) => browse.movements({ where, cursor, limit: ROWS_SHOWN }),
    show: (movements) => (
      <ResourceTable
        name="Movements"
        columns={['of', 'movement', MOVER, 'amount', 'createdAt']}
        rows={movements.map((movement) => ({
          id: `movement-${movement.number}`,
          of: paymentOf(movement),
          movement: movement.kind,
          [MOVER]: moverOf(movement) ?? null,
          amount: LEDGER_KINDS[movement.kind].sign * movement.amount,
          createdAt: movement.createdAt,
        }))}
        links={links}
      />
    ),
    intro: (
      <p class="soft">
        No money moves in staging. Each line is a movement of money that production would make.
      </p>
    ),
    aside: (
      <Section title="Sums">
        <Terms terms={sumsOf(browse.sums(), links.currency)} />
      </Section>
    ),
    empty: (
      <p>
        Confirm a checkout or capture an authorization. A request that is retried with its Idempotency-Key
        adds no second line.
      </p>
    ),
  })
})

function sumsOf(sums: ReturnType<Browse['sums']>, currency: string): Term[] {
  const term = (name: string, amount: number, of: string): Term => [
    name,
    <>
      <b>
        <MoneyText amount={fromMajor(amount)} currency={currency} />
      </b>{' '}
      <span class="soft">{of}</span>
    </>,
  ]
  const amountOf = (kind: LedgerKind) => LEDGER_KINDS[kind].sign * sums[LEDGER_KINDS[kind].sum]
  return [
    ...LEDGER_KIND_NAMES.map((kind) => {
      const { sum, count } = LEDGER_KINDS[kind]
      return term(capitalized(sum), amountOf(kind), counted(sums[count], kind))
    }),
    term(
      'Net',
      LEDGER_KIND_NAMES.map(amountOf).reduce((net, amount) => net + amount),
      'received less returned',
    ),
  ]
}
