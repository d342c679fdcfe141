/** The output of playing: one line for each step, failures in full, and a summary at the end. */
import type { ExpectOfMany } from '../../sandbox/scenario-file/expectation.ts'
import type { MatchDifference } from '../../sandbox/scenario-file/matcher.ts'
import { sentenceOfUnfired } from '../../sandbox/scenario-file/unfired-sentence.ts'
import { tookText } from '../../spec/contract/duration.ts'
import { member, type NumberTexts } from '../../spec/contract/json-text.ts'
import { isObject, parsedJson } from '../../spec/contract/parsed-json.ts'
import { MARKS } from '../checks/check.ts'
import { surplusResponse } from './checks.ts'
import { type Colors, colorsFor } from './colors.ts'
import { type FileResult, isInner, outcomeCounts, type StepResult, skippedText } from './result.ts'
import { eachHeader, numbersOf, type PlayedExchange, type Sent } from './wire.ts'

/** Longer bodies are truncated with an ellipsis. */
const MAX_BODY_LINES = 60
const MAX_BODY_CHARS = 4_000
const MAX_VALUE_CHARS = 300

const cutText = (text: string, most: number) =>
  text.length <= most ? text : `${text.slice(0, most).toWellFormed()}…`
const cutLines = (lines: readonly string[]): string[] =>
  lines.length <= MAX_BODY_LINES ? [...lines] : [...lines.slice(0, MAX_BODY_LINES), '…']
const bodyLines = (text: string): string[] => cutLines(cutText(text, MAX_BODY_CHARS).split('\n'))

export function stepLine(step: StepResult, stepCount: number, { good, bad, faint }: Colors): string {
  const indent = isInner(step) ? '    ' : '  '
  const place = isInner(step) ? step.place : `${step.place}/${stepCount}`
  const tone = step.outcome === 'passed' ? good : step.outcome === 'failed' ? bad : faint
  const time = step.outcome === 'skipped' ? '' : faint(took(step.tookMs))
  const saw = step.outcome === 'skipped' ? `: skipped, as ${step.reason}` : step.saw && ` → ${step.saw}`
  return `${indent}${tone(MARKS[step.outcome])} ${faint(place.padEnd(5))} ${step.label}${saw}${time}`
}

const took = (ms: number) => `  ${tookText(ms)}`

/** The request, what was expected, and what was received with the difference marked. */
export function failureLines(step: StepResult, colors: Colors): string[] {
  const { bad } = colors
  const marked = new Set(step.differences.map(({ path, inAnswer }) => inAnswer?.path ?? path))
  const shown = step.received[responseToShow(step)]
  const lines = [
    ...(step.request ? section('request', requestLines(step.request)) : []),
    ...(isEmpty(step.expected) ? [] : section('expected', bodyLines(JSON.stringify(step.expected, null, 2)))),
    ...(shown ? section('received', receivedLines(shown, marked, colors)) : []),
    ...(step.reason ? section('because', step.reason.split('\n').map(bad)) : []),
    ...section(
      'differs',
      step.differences.map((difference) => differenceLine(difference, colors)),
    ),
  ]
  return ['', ...lines]
}

export const differenceLine = (
  { path, expected, received }: MatchDifference,
  { strong, bad }: Colors = colorsFor(false),
): string =>
  `${strong(path)}: expected ${cutText(expected, MAX_VALUE_CHARS)}, received ${bad(cutText(received, MAX_VALUE_CHARS))}`

/** The index of the response to show: the first that differs, or the first surplus one. */
function responseToShow({ differences, expected, received }: StepResult): number {
  const index = differences.find(({ inAnswer }) => inAnswer)?.inAnswer?.index
  return index ?? Math.max(0, surplusResponse((expected ?? {}) as ExpectOfMany, received))
}

const isEmpty = (value: unknown) =>
  value === undefined || (isObject(value) && Object.keys(value).length === 0)

const section = (title: string, lines: readonly string[]): string[] =>
  lines.map((line, index) => `      ${(index === 0 ? title : '').padEnd(9)} ${line}`)

export function requestLines(sent: Sent): string[] {
  const { method, target, body } = sent
  const shown = eachHeader(sent).map(([name, value]) => `${name}: ${name === 'x-api-key' ? '••••' : value}`)
  return [`${method} ${target}`, ...shown, ...(body === undefined ? [] : bodyLines(body))]
}

export function receivedLines(
  exchange: PlayedExchange,
  marked: ReadonlySet<string> = new Set(),
  { bad }: Colors = colorsFor(false),
): string[] {
  const mark = (path: string, text: string) => (marked.has(path) ? bad(`✗ ${text}`) : `  ${text}`)
  const { answered, ending } = exchange
  const status = answered === null ? [] : [mark('status', `status ${answered.status}`)]
  const connection = ending === null ? [] : [mark('connection', `connection ${ending}`)]
  const headers = Object.entries(answered?.headers ?? {}).map(([name, value]) =>
    mark([...marked].find((path) => path.toLowerCase() === `header ${name}`) ?? '', `${name}: ${value}`),
  )
  const { body: text = '' } = answered ?? {}
  const json = text.length > LINED_JSON_MAX_CHARS ? undefined : parsedJson(text)
  const body =
    json === undefined
      ? cutText(text, MAX_BODY_CHARS).split('\n').filter(Boolean)
      : jsonLines(json, numbersOf({ body: text })).map(({ path, text }) => mark(path, text))
  return [...connection, ...status, ...headers, ...cutLines(body)]
}

/** Larger JSON is not split into lines: each line has a path, which may be as long as the body. */
const LINED_JSON_MAX_CHARS = 64 * 1024

interface JsonLine {
  path: string
  text: string
}

/** Indented JSON with the original number texts. Each line has the path of its value, so that it can be marked. */
function jsonLines(value: unknown, numbers: NumberTexts, path = '$', before = '', after = ''): JsonLine[] {
  const items = Array.isArray(value)
    ? value.map((part, index) => ({ path: `${path}[${index}]`, name: '', part }))
    : isObject(value)
      ? Object.entries(value).map(([name, part]) => ({
          path: path + member(name),
          name: `${JSON.stringify(name)}: `,
          part,
        }))
      : undefined
  if (items === undefined || items.length === 0)
    return [{ path, text: `${before}${numbers.get(path) ?? JSON.stringify(value)}${after}` }]
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  const inner = items.flatMap(({ path: at, name, part }, index) =>
    jsonLines(part, numbers, at, name, index === items.length - 1 ? '' : ','),
  )
  return [
    { path, text: `${before}${open}` },
    ...inner.map((line) => ({ ...line, text: `  ${line.text}` })),
    { path: '', text: `${close}${after}` },
  ]
}

const placeOf = ({ file, case: one }: FileResult) => (one === undefined ? file : `${file}, ${one}`)

export function summaryLines(
  files: readonly FileResult[],
  tookMs: number,
  { bad, good, faint }: Colors,
): string[] {
  const width = Math.max(...files.map((file) => placeOf(file).length))
  const tones = { passed: good, failed: bad, skipped: faint }
  const rows = files.map((file) => {
    const passed = file.steps.filter((step) => !isInner(step) && step.outcome === 'passed').length
    const steps = `${passed}/${file.stepCount}`.padStart(7)
    const skipped = file.outcome === 'skipped' ? undefined : skippedText([file])
    const reason = file.reason === undefined ? '' : `: ${file.reason.split('\n', 1)[0]}`
    const time = file.outcome === 'skipped' ? '' : faint(took(file.tookMs))
    return `  ${placeOf(file).padEnd(width)} ${steps}  ${tones[file.outcome](file.outcome)}${skipped ? `, ${skipped}` : ''}${reason}${time}`
  })
  const unfired = files.flatMap((file) =>
    file.unfired.flatMap((behavior) => [
      `  ${placeOf(file)}`,
      ...sentenceOfUnfired(behavior)
        .split('\n')
        .map((text) => `    ${text}`),
    ]),
  )
  const counts = outcomeCounts(files).map(([outcome, text]) => tones[outcome](text))
  return [
    ...rows,
    ...(unfired.length > 0 ? ['', ...unfired] : []),
    '',
    `  ${counts.join(', ')}${faint(took(tookMs))}`,
  ]
}
