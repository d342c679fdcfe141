/** Sends each case to a receiver and judges what came back. */
import { stopwatch } from '../../spec/world/clock.ts'
import { CASES, type GradeCase, type Letter, type Material } from './cases.ts'
import { type Answered, post } from './post.ts'

export interface CaseResult {
  name: string
  expected: string
  /** What came, in words. */
  came: string
  ms: number
  passed: boolean
  /** How to mend it; null where it passed. */
  mend: string | null
}

export interface ReportCard {
  url: string
  /** A: all; B: one case failed; C: two or three; D: more; F: forgeries are taken, or valid webhooks refused. */
  grade: 'A' | 'B' | 'C' | 'D' | 'F'
  cases: readonly CaseResult[]
}

export interface Grading {
  url: URL
  material: Material
  /** Within this time the receiver must answer each webhook. */
  timeoutMs: number
  /** How many events the receiver has handled, where it tells. */
  probe?: (() => Promise<number>) | undefined
  /** Called with each result as it is there. */
  progress(result: CaseResult): void
}

export async function gradeReceiver(grading: Grading): Promise<ReportCard> {
  const cases: CaseResult[] = []
  for (const one of CASES) {
    const result = await play(one, grading)
    cases.push(result)
    grading.progress(result)
  }
  return { url: String(grading.url), grade: gradeOf(cases), cases }
}

async function play(one: GradeCase, { url, material, timeoutMs, probe }: Grading): Promise<CaseResult> {
  const before = await probe?.()
  const startedAt = stopwatch()
  const send = ({ body, headers, overMs }: Letter) => post({ url, headers, body, timeoutMs, overMs })
  const answers: Answered[] = []
  for (const round of one.send(material)) answers.push(...(await Promise.all(round.map(send))))
  const ms = Math.round(stopwatch() - startedAt)

  const wrong = answers.filter((answer) => !isExpected(one, answer))
  const did = before === undefined || !probe ? undefined : (await probe()) - before
  const isCounted = did !== undefined && one.effects !== undefined
  const passed = wrong.length === 0 && (!isCounted || did === one.effects)
  const handled = (times: number | undefined) => (isCounted ? `, handled ${timesText(times!)}` : '')
  return {
    name: one.name,
    expected: `${one.expected === 'taken' ? '2xx' : '4xx'}${handled(one.effects)}`,
    came: `${answersText(wrong.length > 0 ? wrong : answers, answers.length)}${handled(did)}`,
    ms,
    passed,
    mend: passed ? null : mendOf(one, wrong),
  }
}

const isExpected = ({ expected }: GradeCase, { status }: Answered): boolean =>
  status !== null && Math.floor(status / 100) === (expected === 'taken' ? 2 : 4)

const timesText = (count: number) => (count === 1 ? 'once' : `${count} times`)

/** Such as `204`, or `500 (3 of 5)`. */
function answersText(answers: readonly Answered[], sent: number): string {
  const kinds = new Map<string, number>()
  for (const { status, error } of answers) {
    const text = status === null ? (error ?? 'no answer') : String(status)
    kinds.set(text, (kinds.get(text) ?? 0) + 1)
  }
  return [...kinds].map(([text, count]) => (sent === 1 ? text : `${text} (${count} of ${sent})`)).join(', ')
}

const REDIRECT = 'Answer at the address itself: redirects are not followed.'
const SLOW = 'Store the event, answer 2xx and do the work later: the service waits 15 s.'
const CRASH = 'It failed inside. Its log says where.'

function mendOf({ mend }: GradeCase, wrong: readonly Answered[]): string {
  const more = new Set<string>()
  for (const { status, error } of wrong) {
    if (status !== null && status >= 300 && status < 400) more.add(REDIRECT)
    if (status !== null && status >= 500) more.add(CRASH)
    if (error?.startsWith('no answer within')) more.add(SLOW)
  }
  return [mend, ...more].join(' ')
}

const VALID = 'a valid webhook'

/** The forgeries and the valid webhook decide alone: without them a receiver is unsafe or of no use. */
function gradeOf(cases: readonly CaseResult[]): ReportCard['grade'] {
  const failed = cases.filter(({ passed }) => !passed)
  if (failed.some(({ name, expected }) => name === VALID || expected.startsWith('4xx'))) return 'F'
  if (failed.length === 0) return 'A'
  if (failed.length === 1) return 'B'
  return failed.length <= 3 ? 'C' : 'D'
}
