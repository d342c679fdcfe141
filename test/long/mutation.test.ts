/** Every expectation of every bundled scenario matters: a scenario fails if one of them is changed. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { isMap, isScalar, isSeq, parseDocument } from 'yaml'
import { Matcher } from '../../src/sandbox/scenario-file/matcher-schema.ts'
import { openBeside, parseScenarios } from '../../src/sandbox/scenario-file/read.ts'
import { isObject } from '../../src/spec/contract/parsed-json.ts'
import { playFile } from '../../src/tools/player/session.ts'
import { startOwn } from '../scenarios/own.ts'
import { session } from '../scenarios/playing.ts'

type Path = (string | number)[]
interface Mutant {
  path: Path
  to: unknown
}

/** Keys of a step that contain expectations. */
const EXPECTING = ['expect', 'webhook', 'requests', 'ledger', 'outbox', 'captured', 'until']
/** A waiting time is not an expectation, but the events to count are. */
const NO_EXPECTATIONS = ['within', 'exact']
/** Rows contain expected fields, so their values are mutated too. */
const ROWS = ['cases', 'each']
const EXPECTED_IN_ROWS = ['status', 'answer', 'state', 'left', 'next']

function mutantsOf(node: unknown, path: Path, expecting: boolean): Mutant[] {
  if (isMap(node)) {
    // In counts of responses, add one to the first kind and subtract one from the second.
    if (path.at(-1) === 'status') return [{ path, to: otherCounts(node.toJSON()) }]
    if (expecting && node.has('absent')) return [{ path, to: { exists: true } }]
    if (path.at(-1) === 'sorted') return [{ path, to: otherDirection(node.toJSON()) }]
    if (path.at(-1) === 'none' && expecting) return [{ path, to: { exists: true } }]
    return node.items.flatMap(({ key, value }) => {
      const name = String(isScalar(key) ? key.value : key)
      if (NO_EXPECTATIONS.includes(name) || (name === 'every' && path.at(-1) === 'until')) return []
      const inRow = ROWS.includes(String(path.at(-2))) && EXPECTED_IN_ROWS.includes(name)
      // The name of a capture is not an expectation.
      const isExpectation = path.at(-1) !== 'capture' && EXPECTING.includes(name)
      return mutantsOf(value, [...path, name], expecting || inRow || isExpectation)
    })
  }
  if (isSeq(node)) {
    if (path.at(-1) === 'at') return [{ path, to: [...node.toJSON().slice(0, -1), '9d'] }]
    if (path.at(-1) === 'oneOf') return [{ path, to: ['another'] }]
    const inner = node.items.flatMap((item, index) => mutantsOf(item, [...path, index], expecting))
    if (path.at(-1) !== 'order') return inner
    const order = node.toJSON() as string[]
    // Also append more requests or deliveries of the last kind than there are.
    const again = Array.from({ length: AGAIN }, () => order.at(-1)!)
    return [order.toReversed(), [...order, ...again]].map((to) => ({ path, to }))
  }
  if (!expecting || !isScalar(node)) return []
  // With `not`, `contains` may match another item of the list.
  const isValue =
    path.some((word) => COMPARED.includes(String(word))) &&
    !isOperator(path.at(-1)) &&
    !path.includes('contains')
  return [another(node.value, path), ...(isValue ? [{ not: node.value }] : [])].map((to) => ({ path, to }))
}

/** More requests or deliveries than any bundled scenario has. */
const AGAIN = 30

/** Keys under which a matcher may replace a value. */
const COMPARED = ['json', 'data', 'captured']
const isOperator = (word: unknown): boolean =>
  typeof word === 'number' || Object.keys(Matcher.shape).includes(String(word))

const otherDirection = (sorted: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(sorted).map(([word, field]) => [
      word === 'asc' ? 'desc' : word === 'desc' ? 'asc' : word,
      field,
    ]),
  )

/** Makes one webhook step at a time expect deliveries of a resource that does not exist. */
const ofNoResource = (steps: unknown[]): Mutant[] =>
  steps.flatMap((step, index) =>
    isObject(step) && isObject(step.webhook) && step.webhook.exactly !== 0
      ? [{ path: ['steps', index, 'webhook', 'data'], to: { id: 'another' } }]
      : [],
  )

function otherCounts(counts: Record<string, number>): Record<string, number> {
  const [[first, count] = ['', 0], [second, others] = ['418', 1]] = Object.entries(counts)
  return { ...counts, [first]: count + 1, [second]: others - 1 }
}

function another(value: unknown, path: Path): unknown {
  const name = path.at(-1)
  if (name === 'status' && String(value).startsWith('${')) return 418
  if (name === 'status' && typeof value === 'number') return value === 418 ? 419 : 418
  if (name === 'status' && value === 'any') return 418
  if (name === 'status' && /^[1-5]xx$/.test(String(value))) return '1xx'
  if (name === 'exists') return !value
  if (name === 'none') return { exists: true }
  if (name === 'op') return value === 'customers.get' ? 'customers.list' : 'customers.get'
  if (name === 'stub') return 'GET /v1/balance'
  if (name === 'keys' || name === 'bodies') return value === 'same' ? 'different' : 'same'
  if (name === 'apart') return '1h'
  if (name === 'desc' || name === 'unique') return 'another'
  if (name === 'signature') return value === 'valid' ? 'invalid' : 'valid'
  if (name === 'connection') return value === 'reset' ? 'broken' : 'reset'
  if (path.at(-2) === 'webhook' && name === 'type')
    return value === 'authorization.voided' ? 'refund.created' : 'authorization.voided'
  if (name === 'template') return value === 'login_code' ? 'refund_completed' : 'login_code'
  if (name === 'channel') return value === 'sms' ? 'email' : 'sms'
  if (name === 'regex') return '^another$'
  if (name === 'type') return value === 'null' ? 'array' : 'null'
  if (name === 'atLeast' || name === 'gte' || name === 'length') return 1_000
  if (name === 'lte' || name === 'lt') return -1
  if (typeof value === 'number') return value + 1
  if (typeof value === 'boolean') return !value
  return value === null ? 'another' : `${value} another`
}

/** Returns the text of a scenario; for setups, a scenario that uses each of them. */
function written(file: string): string {
  const text = readFileSync(`scenarios/${file}`, 'utf8')
  if (file !== 'setups.yaml') return text
  const names = Object.keys(parseDocument(text).toJSON().setups)
  return `${text}steps:\n${names.map((name) => `  - use: ${name}\n`).join('')}`
}

/** Scenarios mostly wait, so several run at the same time. */
const AT_ONCE = 6

function mutantsOfFile(file: string): (Mutant & { file: string; text: string })[] {
  const text = written(file)
  const whole = parseDocument(text)
  const expected = ['setups', 'cases', 'steps'].flatMap((part) => mutantsOf(whole.get(part), [part], false))
  return [...expected, ...ofNoResource(whole.toJSON().steps ?? [])].map((mutant) => ({
    ...mutant,
    file,
    text,
  }))
}

function mutated(text: string, { path, to }: Mutant): string {
  const document = parseDocument(text)
  document.setIn(path, to)
  // An expected absence of one type also holds for any other type, so expect the absence of all types.
  if (path.at(-1) === 'type' && document.getIn([...path.slice(0, -1), 'exactly']) === 0)
    document.setIn(path, '*')
  // Remove the times of the attempts: lint requires one per attempt, so the file would not run at all.
  if (path.at(-1) === 'attempts') document.deleteIn([...path.slice(0, -1), 'at'])
  if (path.at(-1) === 'sameAs') {
    document.setIn(['steps', 0, 'id'], 'first')
    document.setIn(path, 'first')
  }
  // Otherwise each webhook that never comes would take five seconds.
  for (const [index, step] of (document.toJSON().steps as object[]).entries())
    if ('webhook' in step) document.setIn(['steps', index, 'webhook', 'within'], '20ms')
  return document.toString()
}

test('every mutant of every bundled scenario fails', async () => {
  const simulator = await startOwn()
  const target = { base: new URL(simulator.url), apiKey: undefined, adminToken: undefined }
  async function outcomeOf({ file, text, ...mutant }: ReturnType<typeof mutantsOfFile>[number]) {
    try {
      for (const scenario of parseScenarios(mutated(text, mutant), `scenarios/${file}`, openBeside)) {
        const { outcome } = await playFile(file, scenario, target, session())
        if (outcome !== 'passed') return outcome
      }
      return 'passed'
    } catch {
      return 'refused'
    }
  }

  const files = readdirSync('scenarios').filter((name) => name.endsWith('.yaml'))
  const mutants = files.flatMap(mutantsOfFile)
  const survivors: string[] = []
  const waiting = mutants.values()
  const playThem = async () => {
    for (const mutant of waiting) {
      const outcome = await outcomeOf(mutant)
      if (outcome !== 'failed')
        survivors.push(`${mutant.file} ${mutant.path.join('.')} = ${JSON.stringify(mutant.to)}: ${outcome}`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, playThem))
  expect(survivors).toEqual([])
  expect(mutants.length).toBeGreaterThan(330)
})
