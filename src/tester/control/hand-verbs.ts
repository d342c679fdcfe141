/** Verbs for what no platform can do: the buyer's part, and the moves that a tester makes. */

import type { z } from 'zod'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { approveAsBuyer, approvedOf, declineAsBuyer } from '../../service/buyer-flow/flow.ts'
import { makeNamedMove } from '../../service/operations/plain.ts'
import { createAsTester } from '../../service/operations/table.ts'
import {
  type CreationOf,
  type MadeByTester,
  TESTER_ACTS,
  type TesterRow,
  type TesterWordOf,
} from '../../spec/contract/resources/by-tester.ts'
import { CheckoutWithUrl } from '../../spec/contract/resources/checkout.ts'
import { DEFINITIONS, type Definitions, type ResourceName } from '../../spec/contract/resources/index.ts'
import { BuyerOptions } from '../../spec/contract/tester.ts'
import { requireShape } from './read-input.ts'
import { shownResource } from './resources.ts'
import { runUnit } from './run-unit.ts'
import { verb } from './steered.ts'
import type { Verb } from './verb.ts'

/** As /v1 shows it, with the fields that a profile adds. */
const shown = <Name extends ResourceName>(internals: Sandbox, id: string) =>
  shownResource(internals, internals.services.find(id)!) as z.input<Definitions[Name]['Shown']>

/** The method that makes a move. */
export interface MoveMethod<Name extends ResourceName> {
  // biome-ignore lint/style/useShorthandFunctionType: the compiler would write out a type in the declarations
  (id: string): z.input<Definitions[Name]['Shown']>
}

/** The method that creates a resource for the one with the id. */
export interface CreateMethod<Name extends MadeByTester> {
  // biome-ignore lint/style/useShorthandFunctionType: the compiler would write out a type in the declarations
  (id: string, options?: z.input<CreationOf<Name>['options']>): z.input<Definitions[Name]['Shown']>
}

function testerVerb({ kind, word, address, summary, options, refusals, move }: TesterRow): Verb {
  return verb<(id: string, given?: object) => object>()(address, {
    summary,
    ...(move?.by === 'time' && { more: 'Without waiting until it is due' }),
    ...(!move && { body: options, status: 201 }),
    answer: DEFINITIONS[kind].Shown as z.ZodType<object, object>,
    refusals,
    does({ internals }, id, given = {}) {
      if (move) {
        runUnit(internals, (unit) => makeNamedMove(unit, kind, id, word))
        return shown(internals, id)
      }
      requireShape(options, given)
      const made = kind as MadeByTester
      return shown(internals, runUnit(internals, (unit) => createAsTester(unit, made, id, given)).id)
    },
  })
}

type TesterVerbs = {
  readonly [Name in ResourceName as TesterWordOf<Name> extends never
    ? never
    : Definitions[Name]['collection']]: {
    [Word in TesterWordOf<Name>]: Verb<
      Name extends MadeByTester
        ? Word extends CreationOf<Name>['verb']
          ? CreateMethod<Name>
          : MoveMethod<Name>
        : MoveMethod<Name>
    >
  }
}

const testerVerbs = Object.fromEntries(
  TESTER_ACTS.map(({ kind }) => [
    DEFINITIONS[kind].collection,
    Object.fromEntries(
      TESTER_ACTS.filter((act) => act.kind === kind).map((act) => [act.word, testerVerb(act)]),
    ),
  ]),
) as TesterVerbs

/** Verbs that a definition cannot express. */
const SPECIAL_VERBS = {
  /** The buyer's part, without a browser. */
  buyer: {
    approve: verb<(checkoutId: string, options?: BuyerOptions) => z.input<typeof CheckoutWithUrl>>()(
      'POST /checkouts/{id}/approve',
      {
        id: 'checkouts.approve',
        summary: 'Approve a checkout as its buyer',
        more: 'It goes through the whole hosted page',
        body: BuyerOptions,
        answer: CheckoutWithUrl,
        refusals: [404, 409],
        does: ({ internals }, id, options = {}) => {
          requireShape(BuyerOptions, options)
          approvedOf(runUnit(internals, (unit) => approveAsBuyer(unit, id, options)))
          return shown<'checkout'>(internals, id)
        },
      },
    ),
    decline: verb<(checkoutId: string, options?: BuyerOptions) => z.input<typeof CheckoutWithUrl>>()(
      'POST /checkouts/{id}/decline',
      {
        id: 'checkouts.decline',
        summary: 'Decline the buyer of a checkout as the bank; the checkout does not change',
        body: BuyerOptions,
        answer: CheckoutWithUrl,
        refusals: [404, 409],
        does: ({ internals }, id, options = {}) => {
          requireShape(BuyerOptions, options)
          runUnit(internals, (unit) => declineAsBuyer(unit, id, options))
          return shown<'checkout'>(internals, id)
        },
      },
    ),
  },
}

export const HAND_VERBS: typeof SPECIAL_VERBS & TesterVerbs = { ...SPECIAL_VERBS, ...testerVerbs }
