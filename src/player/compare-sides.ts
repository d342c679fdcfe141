/**
 * Compares the answers of two addresses: at most one difference for each step, the most important one. Ids, times and
 * captured values differ in every run, so they count as equal.
 */
import { isObject, member } from '../scenario-file/matcher.ts'
import type { StepResult } from './result.ts'
import { jsonOf, type ReceivedAnswer } from './wire.ts'

export interface SideDifference {
  place: string
  label: string
  kind: 'connection' | 'status' | 'field' | 'type' | 'value' | 'header'
  path: string
  ours: string
  theirs: string
}

export interface FileDifferences {
  file: string
  name: string
  /** Why the file was not compared. */
  skipped: string | undefined
  /** Why it could not be started on one side. */
  failed: string | undefined
  differences: readonly SideDifference[]
}

/** The headers that clients act on. Headers of proxies and the remaining rate limit are left out. */
const HEADERS = [
  'content-type',
  'location',
  'allow',
  'www-authenticate',
  'idempotent-replayed',
  'retry-after',
]

const ABSENT = 'nothing'

type Found = Omit<SideDifference, 'place' | 'label'>

export interface Side {
  steps: readonly StepResult[]
  /** The captured values and UUIDs of this side. */
  variable: readonly string[]
}

export function compareSides(ours: Side, theirs: Side): SideDifference[] {
  return ours.steps.flatMap((step) => {
    const other = theirs.steps.find(({ place }) => place === step.place)
    if (other === undefined || !isComparable(step) || !isComparable(other)) return []
    const found = compareStep(step, other, masker(ours.variable), masker(theirs.variable))
    return found === undefined ? [] : [{ place: step.place, label: step.label, ...found }]
  })
}

/** Steps that ran at once are compared only by the counts of their answers. */
export const isComparable = ({ together, request, received }: StepResult): boolean =>
  !together && (request !== undefined || received.length > 1)

type Mask = (text: string) => string

/** Replaces ids such as `chk_…`, origins, captured values and UUIDs. */
function masker(variable: readonly string[]): Mask {
  return (text) => {
    const masked = variable.reduce((rest, value) => (value === '' ? rest : rest.replaceAll(value, '•')), text)
    return masked.replace(/\b[a-z]+_[0-9A-Za-z]{8,}\b/g, '•').replace(/https?:\/\/[^/\s"]+/g, '•')
  }
}

function compareStep(step: StepResult, other: StepResult, mask: Mask, otherMask: Mask): Found | undefined {
  // The order of several concurrent answers is random; the count of each status is not.
  if (step.received.length > 1) return differ('status', 'statuses', sorted(step.saw), sorted(other.saw))
  const [ours] = step.received
  const [theirs] = other.received
  if (ours === undefined || theirs === undefined) return undefined
  const [json, otherJson] = [jsonOf(ours), jsonOf(theirs)]
  return (
    differ('connection', 'connection', ours.connection, theirs.connection) ??
    differ('status', 'status', String(ours.status), String(theirs.status)) ??
    inBody(json, otherJson, compareNames) ??
    inBody(json, otherJson, compareTypes) ??
    inBody(json, otherJson, (path, one, another) => compareWords(path, one, another, mask, otherMask)) ??
    compareHeaders(ours, theirs, mask, otherMask)
  )
}

const sorted = (saw: string) => saw.split(', ').sort().join(', ')

const differ = (kind: Found['kind'], path: string, ours: string, theirs: string): Found | undefined =>
  ours === theirs ? undefined : { kind, path, ours, theirs }

type CompareValues = (path: string, ours: unknown, theirs: unknown) => Found | undefined

/** The first difference in depth-first order. Of lists only the first items are compared, because the lengths may differ. */
function inBody(ours: unknown, theirs: unknown, compare: CompareValues, path = '$'): Found | undefined {
  const found = compare(path, ours, theirs)
  if (found !== undefined) return found
  if (Array.isArray(ours) && Array.isArray(theirs)) {
    return ours.length > 0 && theirs.length > 0
      ? inBody(ours[0], theirs[0], compare, `${path}[0]`)
      : undefined
  }
  if (!isObject(ours) || !isObject(theirs)) return undefined
  for (const name of Object.keys(ours)) {
    if (!Object.hasOwn(theirs, name)) continue
    const inner = inBody(ours[name], theirs[name], compare, path + member(name))
    if (inner !== undefined) return inner
  }
  return undefined
}

function compareNames(path: string, ours: unknown, theirs: unknown): Found | undefined {
  if (!isObject(ours) || !isObject(theirs)) return undefined
  const onlyOurs = Object.keys(ours).filter((name) => !Object.hasOwn(theirs, name))
  const onlyTheirs = Object.keys(theirs).filter((name) => !Object.hasOwn(ours, name))
  return differ('field', path, onlyOurs.join(', ') || ABSENT, onlyTheirs.join(', ') || ABSENT)
}

const compareTypes: CompareValues = (path, ours, theirs) => differ('type', path, typeOf(ours), typeOf(theirs))

function typeOf(value: unknown): string {
  if (value === undefined) return 'no JSON'
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
}

/** Texts of one to three words, such as `pending`, are part of the contract. Sentences and numbers are not. */
function compareWords(
  path: string,
  ours: unknown,
  theirs: unknown,
  mask: Mask,
  otherMask: Mask,
): Found | undefined {
  if (typeof ours !== 'string' || typeof theirs !== 'string') return undefined
  const [one, another] = [mask(ours), otherMask(theirs)]
  return isWord(one) && isWord(another) ? differ('value', path, one, another) : undefined
}

const isWord = (text: string) => /^[A-Za-z]+([ _.-][A-Za-z]+){0,2}$/.test(text)

function compareHeaders(
  ours: ReceivedAnswer,
  theirs: ReceivedAnswer,
  mask: Mask,
  otherMask: Mask,
): Found | undefined {
  for (const name of HEADERS) {
    const found = differ('header', name, headerOf(ours, name, mask), headerOf(theirs, name, otherMask))
    if (found !== undefined) return found
  }
  return undefined
}

function headerOf({ headers }: ReceivedAnswer, name: string, mask: Mask): string {
  const text = headers[name]
  if (text === undefined) return ABSENT
  if (name === 'retry-after') return 'a value'
  return mask(name === 'content-type' ? text.split(';')[0]!.trim().toLowerCase() : text)
}
