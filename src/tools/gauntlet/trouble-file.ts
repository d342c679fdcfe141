/**
 * A run that was not survived, as a scenario: the behaviors of the run, the requests of one order as they were sent, and the wrong money.
 * `paysim run` plays it without the program, and `--trouble` arms its behaviors again.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Armable } from '../../sandbox/scenario-file/armable.ts'
import { writtenBehaviors } from '../../sandbox/scenario-file/read-behaviors.ts'
import { type LedgerKind, ofSums } from '../../spec/contract/resources/ledger.ts'
import { recordScenario } from '../../tester/recorder/record-scenario.ts'
import type { ArmedInSession, Session } from '../../tester/recorder/session.ts'
import { startOwn } from '../compose-server.ts'
import { whyFailed } from '../player/play-recorded.ts'
import { isDoubt } from './doubts.ts'
import type { SandboxFacts, Suspect } from './facts.ts'
import type { OrderMoney } from './money.ts'
import { asTrouble } from './part.ts'
import { isHit, testOf } from './together.ts'
import { isFound, type Judged, type TroubleResult } from './verdict.ts'

export interface TroubleFile {
  /** Undefined if there is no file. */
  path?: string
  yaml?: string
  /** What differs when it is played without the program, or why there is no file; undefined if the money is the same. */
  differs: string | undefined
}

const STEPS_MAX = 40
/** With its head, at most 20 KB. */
const BYTES_MAX = 19_500

/** Of the sandboxes, the one with the wrong order; otherwise with a broken rule, a failed test or at least a failure. */
export function suspiciousOf(facts: readonly SandboxFacts[], { orders }: Judged): SandboxFacts | undefined {
  const wrong = wrongOf(orders)
  const ofTest = facts.filter((sandbox) => wrong && testOf(sandbox) === wrong.test)
  return (
    ofTest.find((sandbox) => knows(sandbox, wrong)) ??
    ofTest.find(isHit) ??
    facts.find(({ audit }) => audit.errors > 0) ??
    facts.find(({ label }) => label?.failed) ??
    facts.find(isHit)
  )
}

const wrongOf = (orders: Judged['orders']) => orders.find(({ tooMuch }) => tooMuch.length > 0) ?? orders[0]

const knows = ({ recorded }: SandboxFacts, wrong: Judged['orders'][number] | undefined) =>
  wrong !== undefined && Object.values(recorded?.orders ?? {}).includes(wrong.order)

/** What this sandbox recorded, and the order. */
export function suspectIn(found: SandboxFacts | undefined, { orders }: Judged): Suspect | undefined {
  if (!found?.recorded) return undefined
  const { audit, money, recorded } = found
  const wrong = wrongOf(orders)
  const broken = audit.findings.find(({ severity }) => severity === 'error')?.requests ?? []
  const hit = recorded.session.requests.flatMap(({ id, fired }) => (fired.length > 0 ? [id] : []))
  const named = [...broken, ...hit].map((id) => recorded.orders[id])
  const order = knows(found, wrong) ? wrong?.order : named.find((name) => name !== undefined)
  return { ...recorded, money, order }
}

/**
 * Writes a file for each run that was not survived, and returns them by the names of their troubles; `worst` gets the short name.
 * Each file is played once in a new simulator. Doubts get no file, because a scenario cannot set a profile.
 */
export async function writeTroubleFiles(
  results: readonly TroubleResult[],
  folder: string,
  worst: string | undefined,
): Promise<Map<string, TroubleFile>> {
  const files = new Map<string, TroubleFile>()
  const failed = results.filter((result) => isFound(result) && !isDoubt(result.trouble))
  if (failed.length === 0) return files
  const { url, close } = await startOwn()
  try {
    for (const result of failed) {
      const { name } = result.trouble
      const file = name === worst ? 'TROUBLE.yaml' : `TROUBLE-${name.replaceAll(/[^\w.-]+/g, '-')}.yaml`
      const { yaml: scenario, differs } = await playedFile(result, url)
      const yaml = scenario && `${headOf(file, differs)}${scenario}`
      const path = yaml && join(folder, file)
      if (path) writeFileSync(path, yaml)
      files.set(name, { differs, ...(path && { path, yaml }) })
    }
  } finally {
    await close()
  }
  return files
}

/** The path, or why there is none. */
export const fileText = ({ path, differs }: TroubleFile): string =>
  path === undefined
    ? `none: ${differs}`
    : `${path}${differs === undefined ? '' : ' (it differs without your program)'}`

const headOf = (
  file: string,
  differs: string | undefined,
) => `# Plays without the program:        paysim run ${file}
# Fails until the program is fixed: paysim gauntlet --trouble ${file} -- npm test
${differs === undefined ? '' : `# Without the program it differs: ${differs.replaceAll(/\s+/g, ' ')}\n`}`

/** The smallest that shows the same money, otherwise the smallest; without `yaml` if none is small enough to be read. */
async function playedFile(result: TroubleResult, url: string): Promise<TroubleFile> {
  let smallest: TroubleFile = { differs: 'the journal of the run is gone' }
  for (const session of sessionsOf(result)) {
    const { yaml, recorded, steps } = recordScenario(session)
    const bytes = Buffer.byteLength(yaml)
    if (!recorded) continue
    if (steps > STEPS_MAX || bytes > BYTES_MAX) {
      const size = `${steps} steps and ${Math.ceil(bytes / 1024)} KB`
      if (!smallest.yaml) smallest = { differs: `${size}, and a file has at most ${STEPS_MAX} and 20 KB` }
      continue
    }
    const file = { yaml, differs: await whyFailed(yaml, url) }
    if (file.differs === undefined) return file
    if (!smallest.yaml) smallest = file
  }
  return smallest
}

/** From the smallest: the requests of the order, with those that met the trouble before, and all requests. */
function sessionsOf(result: TroubleResult): Session[] {
  const { trouble, verdict, orders: wrong, findings, firedEach, suspect } = result
  if (!suspect) return []
  const { session, orders, money, order } = suspect
  const armed = armedOf(asTrouble(trouble.name, trouble.behaviors), firedEach)
  const ids = new Set(armed.map(({ id }) => id))
  const last = session.requests.findLastIndex(({ id }) => orders[id] === order)
  const met = session.requests.slice(0, last).filter(({ fired }) => fired.some((id) => ids.has(id)))
  const names = new Set([order, ...met.map(({ id }) => orders[id])])
  const ofOrder = session.requests.filter(({ id }) => names.has(orders[id]))
  const isNarrow = order !== undefined && !names.has(undefined) && ofOrder.length < session.requests.length
  // Not what the tests printed, which may have a secret in it.
  const why = wrong[0]?.text ?? findings.find(({ severity }) => severity === 'error')?.what
  const sessionOf = (requests: Session['requests'], moved: readonly OrderMoney[]): Session => ({
    ...{ ...session, name: `${trouble.name}: ${verdict}`, why, armed },
    ...{ chosen: requests.map(({ id }) => id), closing: [ledgerStep(moved)] },
  })
  const narrow = isNarrow
    ? [
        sessionOf(
          ofOrder,
          money.filter(({ order }) => names.has(order)),
        ),
      ]
    : []
  return [...narrow, sessionOf(session.requests, money)]
}

/** As a file has them: those that acted in the run, without the key of another service. */
const armedOf = (behaviors: readonly Armable[], firedEach: readonly number[]): ArmedInSession[] =>
  behaviors.flatMap((behavior, index) => {
    const [written] = writtenBehaviors(behavior)
    if (!firedEach[index] || !written) return []
    const { id, ...rest } = written as ArmedInSession
    const { do: words } = rest
    return { id, ...rest, do: 'forward' in words ? { ...words, apiKey: '${env:STAGING_API_KEY}' } : words }
  })

function ledgerStep(money: readonly OrderMoney[]) {
  const ofKind = (kind: LedgerKind) =>
    money.flatMap(({ moved }) => moved).filter((movement) => movement.kind === kind)
  const inCents = (kind: LedgerKind) =>
    ofKind(kind).reduce((sum, { amount = 0 }) => sum + Math.round(amount * 100), 0)
  return {
    ledger: ofSums(
      (kind) => inCents(kind) / 100,
      (kind) => ofKind(kind).length,
    ),
  }
}
