/**
 * D13: every id begins with a prefix that names its kind. This is the only table of prefixes.
 */
import { z } from 'zod'

export const ID_PREFIXES = {
  checkout: 'chk',
  authorization: 'auth',
  refund: 'ref',
  customer: 'cus',
  payment_method: 'pm',
  event: 'evt',
  delivery: 'dlv',
  message: 'msg',
  application: 'app',
  session: 'ses',
  request: 'req',
} as const

export type IdKind = keyof typeof ID_PREFIXES

const KINDS = new Map(Object.entries(ID_PREFIXES).map(([kind, prefix]) => [prefix, kind])) as Map<
  string,
  IdKind
>

/** The kind by the prefix; undefined for a text that is not an id. */
export const idKindOf = (id: string): IdKind | undefined => KINDS.get(id.slice(0, id.indexOf('_')))

export const exampleId = (kind: IdKind) => `${ID_PREFIXES[kind]}_7Qm2ZxT9cLw4RbN8sVk1YdHf`

/** The schema of an id in an answer. */
export const id = (kind: IdKind) => z.string().meta({ example: exampleId(kind) })

/** Requests are numbered as they arrive. */
export const requestId = (number: number) => `${ID_PREFIXES.request}_${number}`

/** NaN for a text that is not a request's id. */
export function requestNumber(id: string): number {
  const digits = idKindOf(id) === 'request' ? id.slice(ID_PREFIXES.request.length + 1) : ''
  return /^\d{1,15}$/.test(digits) ? Number(digits) : Number.NaN
}
