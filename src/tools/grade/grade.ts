/** Sends each case to a receiver and judges the responses. */

import { tally } from '../../spec/grouping.ts'
import { ifHttps } from '../../spec/tls-problem.ts'
import { stopwatch } from '../../spec/world/clock.ts'
import { CASES, type GradeCase, type Letter, type Material, RESTART, type WantedResponse } from './cases.ts'
import { type LetterResponse, post } from './post.ts'

export interface CaseResult {
  name: string
  /** Whether it must refuse (a forgery) or accept (a valid webhook). */
  wanted: WantedResponse
  expected: string
  /** The responses in words. */
  came: string
  answers: readonly LetterResponse[]
  ms: number
  passed: boolean
  /** How to fix it; null if it passed. */
  fix: string | null
}

export interface ReportCard {
  url: string
  /** A: all passed; B: one case failed; C: two or three; D: more; F: forgeries are accepted, or valid webhooks refused. */
  grade: 'A' | 'B' | 'C' | 'D' | 'F'
  /** What was judged in addition to the responses. */
  judged: { effects: boolean; state: boolean; restart: boolean }
  cases: readonly CaseResult[]
}

interface Grading {
  url: URL
  material: Material
  /** The time limit for responding to each webhook. */
  timeoutMs: number
  /** How many events the receiver has handled, if it can report that. */
  probe?: (() => Promise<number>) | undefined
  /** The receiver's state of a refund, if it can report that; undefined for an unknown refund. */
  probeState?: ((refundId: string) => Promise<string | undefined>) | undefined
  /** Kills and restarts the receiver, if paysim started it. */
  restart?: (() => Promise<void>) | undefined
  /** Called with each result as soon as it is known. */
  progress(result: CaseResult): void
}

export async function gradeReceiver(grading: Grading): Promise<ReportCard> {
  const cases: CaseResult[] = []
  for (const gradeCase of CASES) {
    if (gradeCase.needsStart && !grading.restart) continue
    const result = await play(gradeCase, grading)
    const why = cases.length === 0 ? whyNothingElse(result, grading.url) : undefined
    const explained = why === undefined ? result : { ...result, fix: why }
    cases.push(explained)
    grading.progress(explained)
    if (why !== undefined) break
  }
  const { url, probe, probeState, restart } = grading
  const judged = {
    effects: probe !== undefined,
    state: probeState !== undefined,
    restart: restart !== undefined,
  }
  return { url: String(url), grade: gradeOf(cases), judged, cases }
}

async function play(gradeCase: GradeCase, grading: Grading): Promise<CaseResult> {
  const { url, material, timeoutMs, probe, probeState, restart } = grading
  let silence: unknown
  const count = async () =>
    probe?.().catch((cause: unknown) => {
      silence = cause
      return 0
    })
  let before = await count()
  let did = 0
  const startedAt = stopwatch()
  const answers: LetterResponse[] = []
  const rounds = gradeCase.send(material)
  for (const round of rounds) {
    if (round !== RESTART) {
      answers.push(...(await Promise.all(round.map((letter) => post(letter, url, timeoutMs)))))
      continue
    }
    // After a restart the receiver may count from 0 again.
    if (probe) did += (await count())! - before!
    await restart?.()
    before = await count()
  }
  const ms = Math.round(stopwatch() - startedAt)

  const wrong = answers.filter((answer) => !isExpected(gradeCase, answer))
  if (probe) did += (await count())! - before!
  // A receiver that crashed responds to neither: the case has failed, and its probe is not to blame.
  if (silence !== undefined && wrong.length === 0) throw silence
  const isCounted = probe !== undefined && silence === undefined && gradeCase.effects !== undefined
  const handled = (times: number | undefined) =>
    isCounted ? `, handled ${times === 1 ? 'once' : `${times} times`}` : ''
  const [first] = rounds
  const isAsked =
    probeState !== undefined && wrong.length === 0 && gradeCase.state !== undefined && first !== RESTART
  const state = isAsked ? await probeState(refundOf(first![0]!)) : undefined
  const said = (what: string | undefined) => (isAsked ? `, then ${what ?? 'not known'}` : '')
  const isStateRight = !isAsked || state === gradeCase.state
  const passed = wrong.length === 0 && (!isCounted || did === gradeCase.effects) && isStateRight
  return {
    name: gradeCase.name,
    wanted: gradeCase.expected,
    expected: `${gradeCase.expected === 'taken' ? '2xx' : '4xx'}${handled(gradeCase.effects)}${said(gradeCase.state)}`,
    came: `${responsesText(wrong.length > 0 ? wrong : answers, answers.length)}${handled(did)}${said(state)}`,
    answers,
    ms,
    passed,
    fix: passed ? null : fixOf(gradeCase, wrong),
  }
}

const refundOf = ({ body }: Letter): string => (JSON.parse(body) as { data: { id: string } }).data.id

const isExpected = ({ expected }: GradeCase, { status }: LetterResponse): boolean =>
  status !== null && Math.floor(status / 100) === (expected === 'taken' ? 2 : 4)

/** Such as `204`, or `500 (3 of 5)`. */
function responsesText(answers: readonly LetterResponse[], sent: number): string {
  const kinds = answers.map(({ status, error }) =>
    status === null ? (error ?? 'no answer') : String(status),
  )
  return [...tally(kinds)]
    .map(([text, count]) => (sent === 1 ? text : `${text} (${count} of ${sent})`))
    .join(', ')
}

const OTHER_SECRET =
  'It probably uses another secret: pass its secret as --secret. The other cases were not sent, because they would be refused too.'
const NO_CONNECTION = 'The other cases were not sent, because they would get no response either'

/** The reason, shown by the first case, why all others would fail as well; nothing can be graded then. */
function whyNothingElse({ answers }: CaseResult, url: URL): string | undefined {
  if (answers.some(({ status }) => status === 401 || status === 403)) return OTHER_SECRET
  if (answers.some(({ status, isLate }) => status !== null || isLate)) return undefined
  return `${NO_CONNECTION}${ifHttps(url)}.`
}
const REDIRECT = 'Respond at this URL: redirects are not followed.'
const SLOW = 'Store the event, respond 2xx and do the work later: the service waits 15 s.'
const CRASH = 'The receiver failed internally. See its log.'

function fixOf({ fix }: GradeCase, wrong: readonly LetterResponse[]): string {
  const more = new Set<string>()
  for (const { status, isLate } of wrong) {
    if (status !== null && status >= 300 && status < 400) more.add(REDIRECT)
    if (status === null ? !isLate : status >= 500) more.add(CRASH)
    if (isLate) more.add(SLOW)
  }
  return [fix, ...more].join(' ')
}

const EVERYDAY = new Set(CASES.flatMap(({ name, isEveryday }) => (isEveryday ? [name] : [])))

/** Only forgeries and ordinary webhooks can lead to an F, because without them a receiver is unsafe or useless. */
function gradeOf(cases: readonly CaseResult[]): ReportCard['grade'] {
  const failed = cases.filter(({ passed }) => !passed)
  if (failed.some(({ name, wanted }) => EVERYDAY.has(name) || wanted === 'refused')) return 'F'
  if (failed.length === 0) return 'A'
  if (failed.length === 1) return 'B'
  return failed.length <= 3 ? 'C' : 'D'
}
