/** §4: the operations of /v1, derived from the definitions of the resources. */
import type { ErrorStatus } from '../api-error.ts'
import { BY_NAME, type Definitions, type ResourceName } from './index.ts'
import { isGivenBack } from './ledger.ts'
import type { MoveTable, OperationRow } from './resource.ts'

export type AnsweredKind = ResourceName | 'event'
type Reads = 'list' | 'read'

/** Method and path of an operation: `POST /v1/checkouts/{id}/refunds`. */
type CallOf<Definition extends Definitions[ResourceName], Name, Row extends OperationRow> = Row extends {
  on: { path: infer Below extends string }
}
  ? `${Row['does'] extends Reads ? 'GET' : 'POST'} /v1/${Definition['path']}/{${Definition['param']}}/${Below}`
  : Row['does'] extends 'read'
    ? `GET /v1/${Definition['path']}/{${Definition['param']}}`
    : Row['does'] extends 'change'
      ? `POST /v1/${Definition['path']}/{${Definition['param']}}/${Name & string}`
      : `${Row['does'] extends 'list' ? 'GET' : 'POST'} /v1/${Definition['path']}`

interface Row<Call extends string, Does extends OperationRow['does'], What extends AnsweredKind> {
  readonly call: Call
  readonly does: Does
  /** The kind of the resource it returns. */
  readonly what: What
  /** The kind of the parent, for a read or a list below another resource, such as the refunds of a checkout. */
  readonly of?: ResourceName
  /** Whether it charges, refunds or holds money. `needsKey` of the audit follows from it. */
  readonly movesMoney: boolean
  /** Whether it ends what others may need, so that it is not sent to a service which they share. */
  readonly ends: boolean
  readonly summary: string
  /** Statuses of refusals specific to this operation. */
  readonly refusals: readonly ErrorStatus[]
}

type RowsOf<Definition extends Definitions[ResourceName]> = {
  [Name in keyof Definition['operations'] as `${Definition['collection']}.${Name & string}`]: Definition['operations'][Name] extends infer Given extends
    OperationRow
    ? Row<
        CallOf<Definition, Name, Given>,
        Given['does'],
        Given extends { on: { what: infer What extends ResourceName } } ? What : Definition['name']
      >
    : never
}

const REFUSALS = { create: [], change: [404, 409], read: [404], list: [] } as const

function rowsOf(definition: Definitions[ResourceName]) {
  const { name, collection, path, param, parent } = definition
  const moves: MoveTable = definition.moves
  const all = `/v1/${path}`
  const single = `${all}/{${param}}`
  return Object.entries(definition.operations as Readonly<Record<string, OperationRow>>).map(
    ([action, row]) => {
      const { does, summary, on, refusals } = row
      const method = does === 'list' || does === 'read' ? 'GET' : 'POST'
      const item = does === 'change' ? `${single}/${action}` : single
      const target = on ? `${single}/${on.path}` : does === 'create' || does === 'list' ? all : item
      const of = on ? name : parent?.name
      return [
        `${collection}.${action}`,
        {
          call: `${method} ${target}`,
          does,
          what: on?.what ?? name,
          ...(of && method === 'GET' && { of }),
          movesMoney: row.does === 'create' ? row.movesMoney : (moves[action]?.ledger ?? 'none') !== 'none',
          ends: isEnding(moves, action),
          summary,
          refusals: refusals ?? (does === 'list' && of ? [404] : REFUSALS[does]),
        },
      ] as const
    },
  )
}

/** Whether a move leads to a last state for which no money was received, such as canceling. */
function isEnding(moves: MoveTable, name: string): boolean {
  const move = moves[name]
  if (!move || Object.values(moves).some(({ from }) => from.includes(move.to))) return false
  return move.ledger === 'none' || isGivenBack(move.ledger.kind)
}

type All<Each> = (Each extends unknown ? (each: Each) => void : never) extends (all: infer Rows) => void
  ? Rows
  : never

type RowsOfResources = All<{ [Name in ResourceName]: RowsOf<Definitions[Name]> }[ResourceName]>
type Rows = RowsOfResources & {
  'events.list': Row<'GET /v1/events', 'list', 'event'>
  'events.get': Row<'GET /v1/events/{id}', 'read', 'event'>
}

/** The operations as data, so that no other code has its own list. */
export const ENDPOINTS: Rows = {
  ...(Object.fromEntries(BY_NAME.flatMap(rowsOf)) as RowsOfResources),
  'events.list': {
    call: 'GET /v1/events',
    does: 'list',
    what: 'event',
    movesMoney: false,
    ends: false,
    summary: 'List events, newest first',
    refusals: [],
  },
  'events.get': {
    call: 'GET /v1/events/{id}',
    does: 'read',
    what: 'event',
    movesMoney: false,
    ends: false,
    summary: 'Read an event',
    refusals: [404],
  },
}

export type OperationId = keyof Rows
/** Method and path, such as `POST /v1/checkouts/{id}/refunds`. */
export type EndpointCall = Rows[OperationId]['call']

export type MethodOf<Id extends OperationId> = Rows[Id]['call'] extends `${infer Method} /${string}`
  ? Method
  : never
export type PathOf<Id extends OperationId> = Rows[Id]['call'] extends `${string} ${infer Path}` ? Path : never

export type ReadingId = { [Id in OperationId]: Rows[Id] extends { does: Reads } ? Id : never }[OperationId]
export type WritingId = Exclude<OperationId, ReadingId>
