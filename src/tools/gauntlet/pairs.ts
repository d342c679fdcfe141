/**
 * Pairs of failures for `--depth 2`, derived from the runs under single failures. A failure is a kind at a place:
 * `answer-lost@checkouts.confirm` at the first confirm of a sandbox, `…#2` at the second attempt of each intent, and `…:2` at the second
 * confirm, for a client whose retry has another key. Its effect is the requests beyond those of the baseline run; of failures with the
 * same effect at one place only the first is combined. Each sandbox meets the pair independently.
 */
import { actsOnReplays, type Do } from '../../sandbox/scenario-file/do.ts'
import { arrivingUnder } from '../../spec/contract/connection-fault.ts'
import { OPERATION_IDS, type OperationId } from '../../spec/contract/endpoints.ts'
import { groupBy, tally } from '../../spec/grouping.ts'
import type { Trouble } from '../../tester/audit/arms.ts'
import { CATALOG } from './catalog.ts'
import type { PathStep } from './facts.ts'
import { behaviorOf } from './seen.ts'
import type { TroubleResult } from './verdict.ts'

const kindOf = (name: string) => name.replace(/-once$/, '')

/** The kinds of failure: those of the catalog that act once for each operation. */
const KINDS = new Map(
  CATALOG.flatMap(({ name, behaviors: [first] }) => {
    const isKind = first !== undefined && first.scope === 'op' && first.times === 1 && !/^reads-/.test(name)
    return isKind ? [[kindOf(name), behaviorOf(first).do] as const] : []
  }),
)

/** A 500 says more to a client than a broken connection. */
const MILDEST = 'internal-error'

/** What a read may meet: it commits nothing, so its response cannot be lost after that. */
const OF_READS = [MILDEST, 'request-lost']

/** What a place counts: the attempts of an intent, by its key, or the requests of the operation. */
const COUNTED = {
  '#': { scope: 'key', words: 'attempt' },
  ':': { scope: 'op', words: 'request' },
} as const

interface Place {
  kind: string
  op: OperationId
  by: keyof typeof COUNTED
  /** 1 for the first request of the operation. */
  number: number
}
type Failure = Place & Trouble

function failureAt({ kind, op, by, number }: Place): Failure {
  const { scope, words } = COUNTED[by]
  return {
    ...{ kind, op, by, number },
    name: `${kind}@${op}${number > 1 ? `${by}${number}` : ''}`,
    sentence: number > 1 ? `${kind} at ${words} ${number} of ${op}` : `${kind} at the first ${op}`,
    behaviors: [
      { when: { op }, scope, ...(number > 1 && { skip: number - 1 }), times: 1, do: KINDS.get(kind)! },
    ],
  }
}

const failureAtFirst = (kind: string, op: OperationId) => failureAt({ kind, op, by: ':', number: 1 })

const together = (...parts: readonly [Failure, Failure]): Trouble => ({
  name: parts.map(({ name }) => name).join('+'),
  sentence: parts.map(({ sentence }) => sentence).join(', and '),
  behaviors: parts.flatMap(({ behaviors }) => behaviors),
  parts,
})

function pairOf(first: Failure, second: Failure): Trouble {
  const pair = together(first, second)
  const mild = (failure: Failure) => failureAt({ ...failure, kind: MILDEST })
  const milder = [together(mild(first), second), together(first, mild(second))]
  return { ...pair, milder: milder.filter(({ name }) => name !== pair.name) }
}

/** The pair of a name, such as one of the last report. */
export function pairNamed(name: string): Trouble | undefined {
  const failures = name.split('+').map(failureNamed)
  const [first, second] = failures
  return failures.length === 2 && first && second ? pairOf(first, second) : undefined
}

function failureNamed(text: string): Failure | undefined {
  const [, kind = '', op = '', by = ':', number = '1'] = /^([\w-]+)@([\w.]+)(?:([#:])(\d))?$/.exec(text) ?? []
  const known = OPERATION_IDS.find((id) => id === op)
  if (!KINDS.has(kind) || !known) return undefined
  return failureAt({ kind, op: known, by: by as Place['by'], number: Number(number) })
}

/** Recovery first: pairs whose second failure hits a request that only the first has caused, then pairs of two operations. */
export function pairsAfter(calm: readonly PathStep[], singles: readonly TroubleResult[]): Trouble[] {
  const kinds = singles.flatMap(({ trouble, verdict, path }) => {
    const kind = kindOf(trouble.name)
    return verdict === 'survived' && KINDS.has(kind) ? [{ kind, path }] : []
  })
  const writes = OPERATION_IDS.filter((id) =>
    kinds.some(({ path }) => path.some(({ op, isHit }) => isHit && op === id)),
  )
  const ofOperations = writes.map((op) => {
    const failures = kinds.map(({ kind, path }) => ({ ...failureAtFirst(kind, op), path }))
    return firstOfEach(failures, ({ path }) => effectOf(calm, path, op))
  })
  const recovery = ofOperations.flatMap((failures) =>
    failures.flatMap((first) => recoveryOf(calm, first, kinds).map((second) => pairOf(first, second))),
  )
  const others = ofOperations.flatMap((failures, index) =>
    ofOperations
      .slice(index + 1)
      .flatMap((later) => failures.flatMap((first) => later.map((second) => pairOf(first, second)))),
  )
  return [...recovery, ...others]
}

type Acted = Failure & { path: readonly PathStep[] }

const firstOfEach = <Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[] =>
  [...groupBy(items, keyOf).values()].map(([first]) => first!)

/**
 * The failures of the requests that exist only because of the first one: its retry, and reads that the baseline run has not. A
 * client may take the second failure for something else, so here what it sees of a failure counts too.
 */
function recoveryOf(
  calm: readonly PathStep[],
  { op, path }: Acted,
  kinds: readonly Pick<Acted, 'kind' | 'path'>[],
): Failure[] {
  const isReplayed = countOf(path, op, 'replayed') > countOf(calm, op, 'replayed')
  const isRetried = (steps: readonly PathStep[]) => countOf(steps, op) > countOf(calm, op)
  const by: Place['by'] = path.some((step) => step.op === op && step.isRepeat) ? '#' : ':'
  // A client that reads before it draws another key does not retry after every failure.
  const able = kinds.filter(
    (act) => (by === ':' || isRetried(act.path)) && (!isReplayed || actsOnReplays(KINDS.get(act.kind)!)),
  )
  const retries = firstOfEach(
    able,
    (act) => `${effectOf(calm, act.path, op)} ${seenOf(KINDS.get(act.kind)!)}`,
  )
  const isNew = (id: string) => path.some((step) => step.isRead && step.op === id) && countOf(calm, id) === 0
  const reads = OPERATION_IDS.filter(isNew)
  return [
    ...(isRetried(path) ? retries.map(({ kind }) => failureAt({ kind, op, by, number: 2 })) : []),
    ...reads.flatMap((read) => OF_READS.map((kind) => failureAtFirst(kind, read))),
  ]
}

/** What the client sees of a failure. */
function seenOf(what: Do): string {
  if ('respond' in what && typeof what.respond === 'object')
    return String(what.respond.status).replace(/^5../, '5xx')
  if (!('fault' in what)) return 'late'
  // The HTTP library reports what is cut off, and the JSON parser this one.
  return what.fault === 'bad-json' ? what.fault : arrivingUnder(what.fault)
}

const countOf = (path: readonly PathStep[], op: string, verdict?: string) =>
  path.filter((step) => step.op === op && (verdict === undefined || step.verdict === verdict)).length

/** What the run sent to the operation beyond the baseline run, apart from the request that was hit. */
function effectOf(calm: readonly PathStep[], path: readonly PathStep[], op: string): string {
  const countsIn = (steps: readonly PathStep[]) =>
    tally(steps.flatMap((step) => (step.op === op && !step.isHit ? [`${step.verdict} ${step.ending}`] : [])))
  const [before, now] = [countsIn(calm), countsIn(path)]
  const changes = [...new Set([...before.keys(), ...now.keys()])].sort().flatMap((text) => {
    const more = (now.get(text) ?? 0) - (before.get(text) ?? 0)
    return more === 0 ? [] : [`${text}: ${more}`]
  })
  return changes.join(', ')
}
