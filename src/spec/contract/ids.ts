/**
 * D13: every id begins with a prefix that names its kind. This is the only table of prefixes.
 */
import { z } from 'zod'

export const ID_PREFIXES = {
  checkout: 'chk_',
  authorization: 'auth_',
  refund: 'ref_',
  customer: 'cus_',
  payment_method: 'pm_',
  event: 'evt_',
  delivery: 'dlv_',
  message: 'msg_',
  application: 'app_',
  session: 'ses_',
  request: 'req_',
} as const

export type IdKind = keyof typeof ID_PREFIXES

export type KindOf = (id: string) => IdKind | undefined

/** Finds the kind by the prefix; undefined for a text that is not an id. No prefix begins with another. */
export function kindFinder(prefixes: Readonly<Record<IdKind, string>>): KindOf {
  const kinds = Object.entries(prefixes) as [IdKind, string][]
  return (id) => kinds.find(([, prefix]) => id.startsWith(prefix))?.[0]
}

export const idKindOf = kindFinder(ID_PREFIXES)

/**
 * The random part of an example id, cut to the length that the profile asks for: 64 characters are its
 * maximum.
 */
export const EXAMPLE_ID = '7Qm2ZxT9cLw4RbN8sVk1YdHfW3uJ6tXe5PqA0gBo4CnD8iEr2FyGzHKaLsMvNhOl'

export const exampleId = (kind: IdKind) => `${ID_PREFIXES[kind]}${EXAMPLE_ID.slice(0, 24)}`

/** The schema of an id in an answer. */
export const id = (kind: IdKind) => z.string().meta({ example: exampleId(kind) })

/** Requests are numbered as they arrive. */
export const requestId = (number: number) => `${ID_PREFIXES.request}${number}`

/** NaN for a text that is not a request's id. */
export function requestNumber(id: string): number {
  const digits = idKindOf(id) === 'request' ? id.slice(ID_PREFIXES.request.length) : ''
  return /^\d{1,15}$/.test(digits) ? Number(digits) : Number.NaN
}
