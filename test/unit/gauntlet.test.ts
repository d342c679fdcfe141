/** The gauntlet's conclusions from ledgers, exit codes and a baseline, and its options. */
import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { resolveOptions } from '../../src/spec/options/read.ts'
import type { MovedMoney } from '../../src/tester/story/difference.ts'
import { junitXml } from '../../src/tools/checks/junit.ts'
import { htmlReport } from '../../src/tools/checks/page.tsx'
import { isRefused, readBaseline, writeBaseline } from '../../src/tools/gauntlet/baseline.ts'
import { CATALOG, firstOfEachKind } from '../../src/tools/gauntlet/catalog.ts'
import { causeLines, causesIn } from '../../src/tools/gauntlet/causes.ts'
import { errorLine } from '../../src/tools/gauntlet/error-line.ts'
import { costOf, runLimit } from '../../src/tools/gauntlet/limit.ts'
import {
  compareMoney,
  differenceText,
  isMovedTwice,
  isUnfinished,
  moneyOf,
  type OrderMoney,
  yardstickOf,
} from '../../src/tools/gauntlet/money.ts'
import { jobsOf, partOf, requireTogether, troublesOf } from '../../src/tools/gauntlet/options.ts'
import { gauntletReport } from '../../src/tools/gauntlet/report.ts'
import { hitsIn, type Seen } from '../../src/tools/gauntlet/seen.ts'
import { gauntletSummary, troubleLines } from '../../src/tools/gauntlet/show.ts'
import {
  confirmed,
  type Evidence,
  isToBeConfirmed,
  judge,
  type RuleBroken,
  type TroubleResult,
  type Verdict,
} from '../../src/tools/gauntlet/verdict.ts'
import { freePorts } from '../../src/tools/gauntlet/webhook-address.ts'
import { COMMANDS } from '../../src/tools/options/commands.ts'
import { confirmedCheckout, openShop, refund } from '../control/shop.ts'
import { folder } from '../given.ts'
import { leftovers } from '../leftovers.ts'

/** An order's movements, written as `charge 100.00`. */
const movements = (...texts: string[]): MovedMoney[] =>
  texts.map((text) => {
    const [kind, amount] = text.split(' ')
    return { kind: kind as MovedMoney['kind'], amount: Number(amount) }
  })
const order = (name: string, ...moved: string[]): OrderMoney => ({
  order: name,
  moved: movements(...moved.sort()),
})

const CHARGED = order('o-1', 'charge 100.00')
const REFUNDED = order('o-2', 'charge 100.00', 'refund 25.00')
const CALM = [CHARGED, REFUNDED]

const result = (name: string, verdict: Verdict, reasons: string[] = []): TroubleResult => ({
  trouble: { name, sentence: `It is ${name} & more`, behaviors: [] },
  verdict,
  reasons,
  orders: [],
  notes: [],
  runs: 1,
  fired: verdict === 'not exercised' ? 0 : 3,
  tookMs: 1234,
  outputFile: undefined,
  findings: [],
  trail: undefined,
  suspect: undefined,
  hasNoTimeout: false,
  path: [],
  firedEach: [],
})

/** An order with a refund that was made again. */
const twice = (text: string, ...rules: string[]) =>
  ({ order: 'o-2', is: 'changed', tooMuch: movements('refund 25.00'), lacks: [], text, rules }) as const

describe('money', () => {
  test('is right in any order and under any names', () => {
    const now = [order('x', 'refund 25.00', 'charge 100.00'), order('y', 'charge 100.00')]
    expect(compareMoney(yardstickOf(CALM), now)).toEqual([])
  })

  const refundedTwice = order('o-2', 'charge 100.00', 'refund 25.00', 'refund 25.00')
  test.for<[string, OrderMoney[], boolean, string[]]>([
    ['a refund is made twice', [CHARGED, refundedTwice], false, ['o-2 has refund 25.00 too much']],
    ['a refund is missing', [CHARGED, order('o-2', 'charge 100.00')], true, ['o-2 lacks refund 25.00']],
    ['an order is missing', [REFUNDED], true, ['o-1 is missing: charge 100.00']],
    [
      'an order is one too many',
      [...CALM, order('o-3', 'charge 7.00')],
      false,
      ['o-3 is one too many: charge 7.00'],
    ],
    [
      'another amount is refunded',
      [CHARGED, order('o-2', 'charge 100.00', 'refund 26.00')],
      false,
      ['o-2 has refund 26.00 too much; o-2 lacks refund 25.00'],
    ],
    [
      'each of two has the refund of one',
      [order('a', 'charge 100.00', 'refund 25.00'), order('b', 'charge 100.00', 'refund 25.00')],
      false,
      ['b has refund 25.00 too much'],
    ],
    [
      'a refund of another name is missing',
      [CHARGED, order('b', 'charge 100.00')],
      true,
      ['o-2 lacks refund 25.00'],
    ],
  ])('is wrong if %s', ([, now, unfinished, differences]) => {
    const compared = compareMoney(yardstickOf(CALM), now)
    expect(compared.map(differenceText)).toEqual(differences)
    expect(isUnfinished(compared)).toBe(unfinished)
  })

  test('of two checkouts for one order is counted together', async () => {
    const { shop, call } = openShop()
    for (const orderId of ['o-1', 'o-1', 'o-2']) {
      const id = await confirmedCheckout(call, 100, orderId)
      if (orderId === 'o-2') await refund(call, id, 25)
    }
    expect(moneyOf(shop)).toEqual([order('o-1', 'charge 100.00', 'charge 100.00'), REFUNDED])
  })
})

const NO_KEY: RuleBroken = {
  rule: 'C1',
  severity: 'error',
  what: 'no key',
  requests: ['req_7'],
  about: [],
  money: 25,
}

describe('two baseline runs', () => {
  const paid = (amount: string, ...more: string[]) => order('o-1', `charge ${amount}`, ...more)
  const both = yardstickOf([REFUNDED, paid('10.00', 'refund 3.10')], [REFUNDED, paid('12.00', 'refund 4.20')])

  test('with different amounts are compared by their kinds of movements, and the other orders to the cent', () => {
    expect(both).toMatchObject({
      orders: [REFUNDED, { moved: [{ kind: 'charge' }, { kind: 'refund' }] }],
      open: new Set(),
    })
    expect(both.unsteady.map(differenceText)).toEqual([
      'o-1 has charge 12.00, refund 4.20 too much; o-1 lacks charge 10.00, refund 3.10',
    ])
    expect(compareMoney(both, [REFUNDED, paid('7.00', 'refund 1.00')])).toEqual([])
    const unpaid = compareMoney(both, [REFUNDED, paid('7.00')])
    expect([unpaid.length, isUnfinished(unpaid)]).toEqual([1, true])
    const doubled = compareMoney(both, [REFUNDED, paid('7.00', 'refund 1.00', 'refund 1.00')])
    expect(isUnfinished(doubled)).toBe(false)
    expect(doubled.filter(isMovedTwice)).not.toEqual([])
    const second = order('o-2', 'charge 100.00', 'refund 26.00')
    expect(compareMoney(both, [second, paid('7.00', 'refund 1.00')])).not.toEqual([])
  })

  test('with different orders are compared only in their common orders', () => {
    const open = yardstickOf([REFUNDED, CHARGED], [REFUNDED])
    expect(compareMoney(open, [REFUNDED])).toEqual([])
    expect(compareMoney(open, [REFUNDED, order('o-9', 'charge 1.00', 'refund 1.00')])).toEqual([])
    expect(compareMoney(open, [CHARGED])).toMatchObject([{ order: 'o-2', is: 'missing' }])
  })
})

describe('a limit', () => {
  const request = (operation: string, key: string | null = null, id = key ?? '') => ({
    id,
    method: 'POST',
    target: `/v1/${operation}`,
    operation,
    subject: null,
    key,
  })
  const seen: Seen = {
    requests: [
      request('checkouts.create', 'a'),
      request('checkouts.confirm', 'b'),
      request('checkouts.create', 'c'),
    ],
    events: ['checkout.created', 'refund.completed'],
    waited: ['refund'],
    touched: [],
    receiver: null,
  }
  const cost = (name: string, fired: number) => {
    const [behavior] = CATALOG.find((trouble) => trouble.name === name)!.behaviors
    return costOf(behavior!, fired, [seen]) / 1000
  }

  test('grows with each request that a trouble hit, by its wait and a pause', () => {
    const { behaviors } = CATALOG.find(({ name }) => name === 'silence-after-each')!
    const limit = (tookMs: number, ...fired: number[]) =>
      runLimit({ tookMs, seen: [seen] }, behaviors, fired) / 1000
    expect([limit(400), limit(8_000), limit(400, 1), limit(8_000, 1)]).toEqual([30, 80, 39, 114])
    expect([0, 1, 2, 3].map((fired) => cost('silence-after-each', fired))).toEqual([0, 34, 68, 102])
    expect(cost('slow-before-once', 1)).toBe(6)
    expect(cost('drip-once', 1)).toBe(5)
    expect(cost('webhook-late', 2)).toBe(24)
  })

  test('allows eight responses with doubling pauses, and Retry-After', () => {
    const outage = CATALOG.find(({ name }) => name === 'outage')!.behaviors[0]!
    const burst = CATALOG.find(({ name }) => name === 'rate-limit-burst')!.behaviors[0]!
    const sandbox = { ...seen, requests: [request('checkouts.create', 'a')] }
    expect(costOf(outage, 8, [sandbox]) / 1000).toBe(4 + 8 + 16 + 5 * 30)
    expect(costOf(burst, 8, [sandbox]) / 1000).toBe(4 + 8 + 16 + 5 * 30 + 8)
  })

  test('does not grow for a client in an endless loop', () => {
    expect(cost('in-flight-each', 100)).toBe(cost('in-flight-each', 3))
    expect(cost('in-flight-once', 100)).toBe(cost('in-flight-once', 2))
  })

  test('counts requests that a trouble can act on, and none if the baseline run had none of that kind', () => {
    const hits = (name: string) => {
      const { behaviors } = CATALOG.find((trouble) => trouble.name === name)!
      return behaviors.reduce((sum, behavior) => sum + hitsIn(seen, behavior), 0)
    }
    const names = ['request-lost-once', 'request-lost-each', 'answer-lost:create', 'answer-lost:refund']
    expect([...names, 'reads-lost', 'webhook-dropped', 'refund-slow'].map(hits)).toEqual([
      2, 3, 1, 0, 0, 2, 1,
    ])
  })
})

const BROKEN: RuleBroken = {
  ...{ rule: 'C2', severity: 'error', what: 'req_2 repeats req_1', requests: [], about: [], money: null },
}

test('the summary counts the verdicts', () => {
  const summary = gauntletSummary([result('outage', 'survived'), result('lost', 'not run')], 65_000)
  expect(summary).toBe('1 survived, 1 not run, in 65.0 s.')
})

describe('a failed trial', () => {
  const failed = result('outage', 'failed loudly', ['exit code 1'])
  const doubled = { ...result('outage', 'money wrong'), orders: [twice('')] }

  test('is repeated if it is fast and moved no money twice', () => {
    expect(isToBeConfirmed(failed, undefined)).toBe(true)
    expect(isToBeConfirmed(result('outage', 'money wrong'), undefined)).toBe(true)
    expect(isToBeConfirmed(result('outage', 'not judged'), undefined)).toBe(true)
    expect(isToBeConfirmed(doubled, true)).toBe(false)
    expect(isToBeConfirmed(result('outage', 'survived'), true)).toBe(false)
    expect(isToBeConfirmed({ ...failed, tookMs: 60_000 }, undefined)).toBe(false)
    expect(isToBeConfirmed({ ...failed, tookMs: 60_000 }, true)).toBe(true)
    expect(isToBeConfirmed(failed, false)).toBe(false)
  })

  test('of audit is repeated if it depends on timing alone, and counts if it recurs', () => {
    const audit = (...rules: string[]): TroubleResult => ({
      ...result('outage', 'audit failed', rules),
      findings: rules.map((rule) => ({ ...BROKEN, rule })),
    })
    expect(isToBeConfirmed(audit('C9', 'C8'), undefined)).toBe(true)
    expect(isToBeConfirmed(audit('C9', 'C2'), true)).toBe(false)
    expect(confirmed(audit('C9'), audit('C9'))).toMatchObject({ verdict: 'audit failed', notes: [] })
    expect(confirmed(audit('C9'), result('outage', 'survived'))).toMatchObject({
      verdict: 'survived',
      notes: ['Only the first of two runs failed, so it is not counted: C9'],
    })
  })

  test('that does not recur does not count, and is reported', () => {
    const second = confirmed(failed, result('outage', 'survived'))
    expect(second).toMatchObject({ verdict: 'survived', runs: 2 })
    expect(troubleLines(second, {}, 6)[1]).toContain(
      'Only the first of two runs failed, so it is not counted: exit code 1',
    )
    const verdictOf = (a: Verdict, b: Verdict) => confirmed(result('outage', a), result('outage', b)).verdict
    expect(verdictOf('failed loudly', 'money wrong')).toBe('money wrong')
    expect(verdictOf('money wrong', 'failed loudly')).toBe('money wrong')
    expect(verdictOf('not judged', 'failed loudly')).toBe('failed loudly')
    expect(verdictOf('not judged', 'not exercised')).toBe('not judged')
  })
})

test('the quick set has one trouble of each kind that can act, and every trouble of the user', () => {
  const added = { name: 'own', sentence: 'My own', behaviors: [] }
  const quick = firstOfEachKind([...CATALOG, added], ({ name }) => !name.startsWith('webhook'))
  expect(quick.map(({ name }) => name)).toEqual([
    ...['answer-lost-once', 'request-lost-once', 'cut-short-once', 'drip-once', 'in-flight-once'],
    ...['internal-error-once', 'rate-limit-once', 'refusal-kept:confirm', 'refund-immediate', 'refund-never'],
    ...['crash-in-webhook', 'own'],
  ])
})

test('a port is used by one run only', async () => {
  const ports = freePorts()
  const taken = await Promise.all(Array.from({ length: 20 }, () => ports.next()))
  expect(new Set(taken.map(({ value }) => value)).size).toBe(20)
})

describe('a verdict', () => {
  const evidence: Evidence = {
    failure: undefined,
    fired: 1,
    money: CALM,
    yardstick: yardstickOf(CALM),
    findings: [],
    ...{ wasCutOff: false, mayStop: false, baselineRules: new Set<string>() },
    explain: (difference) => ({ text: differenceText(difference), rules: [] }),
  }
  test.for<[Verdict, Partial<Evidence>, string[]]>([
    ['survived', {}, []],
    ['audit failed', { findings: [NO_KEY] }, ['C1: no key']],
    ['audit failed', { findings: [NO_KEY, NO_KEY, NO_KEY] }, ['C1: no key (and 2 more of C1)']],
    ['survived', { findings: [{ ...NO_KEY, severity: 'warning' }] }, []],
    ['failed loudly', { failure: 'exit code 1', findings: [NO_KEY] }, ['exit code 1', 'C1: no key']],
    ['survived', { failure: 'exit code 1', mayStop: true, money: [CHARGED] }, []],
    [
      'failed loudly',
      { failure: 'exit code 1', mayStop: true, findings: [NO_KEY] },
      ['exit code 1', 'C1: no key'],
    ],
    ['money wrong', { mayStop: true, money: [CHARGED] }, ['o-2 is missing: charge 100.00, refund 25.00']],
    [
      'failed loudly',
      { failure: 'it was ended', mayStop: true, wasCutOff: true, money: [CHARGED] },
      ['it was ended'],
    ],
    [
      'failed loudly',
      { failure: 'exit code 1', yardstick: yardstickOf([...CALM, CHARGED, CHARGED]), money: [CHARGED] },
      [
        ...['exit code 1', 'o-2 is missing: charge 100.00, refund 25.00', 'o-1 is missing: charge 100.00'],
        '1 more order left undone',
      ],
    ],
    [
      'money wrong',
      { failure: 'exit code 1', money: [...CALM, CHARGED] },
      ['o-1 is one too many: charge 100.00', 'exit code 1'],
    ],
    ['not exercised', { fired: 0 }, []],
    [
      'not judged',
      { fired: 0, failure: 'exit code 1' },
      ['the trouble never happened, so the tests fail by themselves: exit code 1'],
    ],
  ])('is %s with %j', ([verdict, given, reasons]) => {
    expect(judge({ ...evidence, ...given })).toMatchObject({ verdict, reasons })
  })
})

describe('the catalog', () => {
  test('has unique names, valid for sandboxes, and a unique sentence for each', () => {
    expect(CATALOG.length).toBeGreaterThanOrEqual(24)
    expect(new Set(CATALOG.map(({ name }) => name)).size).toBe(CATALOG.length)
    expect(new Set(CATALOG.map(({ sentence }) => sentence)).size).toBe(CATALOG.length)
  })
})

describe('a baseline', () => {
  test.for<[Verdict, Verdict | undefined, boolean]>([
    ['survived', undefined, false],
    ['failed loudly', undefined, true],
    ['failed loudly', 'failed loudly', false],
    ['failed loudly', 'money wrong', false],
    ['money wrong', 'failed loudly', true],
    ['audit failed', 'failed loudly', false],
    ['not run', undefined, false],
    ['not judged', 'money wrong', true],
  ])('%s against %s: refused is %s', ([verdict, known, refused]) => {
    const baseline = known === undefined ? {} : { outage: known as 'failed loudly' }
    expect(isRefused(result('outage', verdict), baseline)).toBe(refused)
  })

  const file = () => join(folder(), 'baseline.json')

  test('is written from the current results, and keeps troubles that were not exercised', () => {
    const path = file()
    writeBaseline(path, { outage: 'money wrong', drip: 'failed loudly', lost: 'failed loudly' }, [
      result('outage', 'survived'),
      result('drip', 'not exercised'),
      result('lost', 'money wrong'),
      result('a-new-one', 'failed loudly'),
    ])
    const written = { 'a-new-one': 'failed loudly', drip: 'failed loudly', lost: 'money wrong' }
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(written)
    expect(readBaseline(path, false)).toEqual(written)
  })

  test('that is unreadable gets an error in one sentence; a missing one is fine if it will be written', () => {
    const path = file()
    expect(readBaseline(path, true)).toEqual({})
    expect(() => readBaseline(path, false)).toThrow(
      /^--baseline .* must be a JSON object such as .*no such file/,
    )
    writeFileSync(path, '{"outage": "bad"}')
    expect(() => readBaseline(path, true)).toThrow(/must be a JSON object such as/)
  })
})

describe('options', () => {
  const read = (given: object, env = {}) => {
    const flags = { command: ['npm', 'test'], ...given }
    return resolveOptions('gauntlet', COMMANDS.gauntlet.options, { flags, env })
  }

  test('have defaults', async () => {
    expect(read({})).toEqual({
      command: ['npm', 'test'],
      trouble: [],
      depth: 1,
      webhook: { url: 'http://127.0.0.1:{port}/webhooks' },
      audit: { ignore: {} },
      reports: [],
    })
    expect(await troublesOf(read({}))).toEqual(CATALOG)
    expect(jobsOf(read({}), undefined)).toBe(Math.min(3 * availableParallelism(), 8))
  })

  test('select the named troubles, even if the settings say quick', async () => {
    const tried = async (given: object) =>
      partOf(await troublesOf(read(given)), read(given), () => true).map(({ name }) => name)
    expect(await tried({ quick: true, only: ['reads-lost'] })).toEqual(['reads-lost'])
    expect(await tried({ quick: true })).not.toContain('reads-lost')
  })

  test.for<[object, RegExp]>([
    [
      { only: 'hurricane' },
      /^--only takes names of troubles .* not "hurricane"\. There are: answer-lost-once, /,
    ],
    [{ only: 'answer-lst' }, /not "answer-lst"\. There are: answer-lost-once, /],
    [{ jobs: '0' }, /^--jobs must be a whole number from 1 to 64/],
    [{ budget: 'soon' }, /^--budget must be a duration/],
    [{ 'webhook.url': 'localhost' }, /^--webhook-url must be an http or https URL/],
    [
      { 'webhook.url': 'http://localhost:3000', jobs: '2' },
      /^The webhook URL http:\/\/localhost:3000 is one address/,
    ],
    [{ reports: ['pdf=x'] }, /^--report must be junit=FILE, json=FILE or html=FILE, not "pdf=x"/],
    [{ updateBaseline: true }, /^--update-baseline needs --baseline FILE/],
    [{ timeout: 'soon' }, /^--timeout must be a duration/],
    [{ failed: true }, /^--failed reads what failed from the last report: name it with --report json=FILE/],
    [
      { failed: true, reports: ['json=/tmp/no-such-report.json'] },
      /^--failed: Cannot read \/tmp\/no-such-report.json: no such file. Run once without --failed/,
    ],
    [
      { trouble: ['/tmp/no-such-file.yaml'] },
      /^--trouble names a file that does not exist: \/tmp\/no-such-file\.yaml\.$/,
    ],
    [
      { failed: true, reports: ['json=package.json'] },
      /^--failed: .* is not a report of the gauntlet\. Run once without --failed\.$/,
    ],
  ])('%j is refused in a sentence', async ([flags, sentence]) => {
    const check = async () => {
      requireTogether(read(flags))
      await troublesOf(read(flags))
    }
    await expect(check()).rejects.toThrow(sentence)
  })
})

test.for<[string, string | undefined]>([
  ['\n', undefined],
  [`Error: ${'x'.repeat(201)}`, `Error: ${'x'.repeat(193)}…`],
  // Not an error: the last line of a test's curl command, and of TAP.
  ['one\n  two  \n', undefined],
  ["curl -X POST http://127.0.0.1:4100/v1/checkouts \\\n  -d '{}'\n", undefined],
  [
    "not ok 1 - a refund\n  ---\n  failureType: 'testCodeFailure'\n  error: `70 !== 50`\n  ...\n# fail 1\n# duration_ms 88.1\n",
    '`70 !== 50`',
  ],
  // Python; the client retried after the first of these errors.
  [
    'ConnectionResetError: reset\nTraceback:\n  File "a.py", line 1\nurllib.error.URLError: <urlopen error [Errno 111]>\n',
    'urllib.error.URLError: <urlopen error [Errno 111]>',
  ],
  [
    '>       assert 1 == 2\nE       assert 1 == 2\n\nc.py:3: AssertionError\nE   TypeError: other\n',
    'E   TypeError: other',
  ],
  // Node, and its runner
  [
    'TypeError: fetch failed\n    at file:///tmp/d.mjs:1:7 {\n  [cause]: Error: ECONNRESET\n}\n\nNode.js v20.20.2\n',
    'TypeError: fetch failed',
  ],
  [
    "not ok 1 - a refund\n  ---\n  error: |-\n    Expected values to be strictly equal:\n    \n    1 !== 2\n    \n  code: 'ERR_ASSERTION'\nnot ok 2\n  error: '1 subtest failed'\n",
    'Expected values to be strictly equal: 1 !== 2',
  ],
  [
    '✖ a refund (13.4ms)\n  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:\n  \n  1 !== 2\n',
    'AssertionError [ERR_ASSERTION]: Expected values to be strictly equal: 1 !== 2',
  ],
  // Vitest, Jest, Go and JUnit
  [
    ' FAIL  b.test.mjs > a refund\nAssertionError: expected 1 to be 2 // Object.is equality\nAssertionError: and more',
    'AssertionError: and more',
  ],
  ['  ● a refund\n\n    expect(received).toBe(expected)\n\n    Expected: 2\n', undefined],
  ['--- FAIL: TestRefund (0.00s)\n    refund_test.go:12: got 2, want 1\nFAIL\nexit status 1\n', undefined],
  [
    'org.opentest4j.AssertionFailedError: expected: <1> but was: <2>\n\tat App.main\n',
    'org.opentest4j.AssertionFailedError: expected: <1> but was: <2>',
  ],
])("one line of a failed command's output is shown: %j", ([output, line]) => {
  expect(errorLine(output)).toBe(line)
})

describe('a report', () => {
  const results = [
    result('drip', 'survived'),
    result('outage', 'failed loudly', ['exit code 1 <again>']),
    { ...result('lost', 'money wrong', ['o-2 has refund 25.00 too much']), findings: [NO_KEY] },
    result('late', 'not exercised'),
  ]
  const outcome = {
    command: ['npm', 'test'],
    calm: { tookMs: 1000, hasReceiver: true, money: CALM, findings: [] },
    results,
    causes: causesIn(results, { outage: 'failed loudly' }, new Set()),
    startedAt: 0,
    files: new Map(),
    baseline: { outage: 'failed loudly' },
    tookMs: 60_000,
  } as const

  test('for JUnit fails for failures of the command, and skips troubles that were not exercised', () => {
    const xml = junitXml(gauntletReport(outcome))
    expect(xml).toContain(
      '<testsuite name="gauntlet of npm test" tests="4" failures="1" errors="0" skipped="1" time="60.000">',
    )
    expect(xml).toContain('<failure type="money wrong" message="money wrong: o-2 has refund 25.00 too much">')
    expect(xml).toContain(
      'name="late: It is late &amp; more" time="1.234"><skipped message="not exercised"/>',
    )
  })

  test('for JSON has the accepted failures', () => {
    const { troubles, calm } = JSON.parse(JSON.stringify(gauntletReport(outcome).json()))
    expect(calm).toMatchObject({ receivesWebhooks: true })
    expect(calm.orders).toEqual([
      { order: 'o-1', moved: ['charge 100.00'], movements: CHARGED.moved },
      { order: 'o-2', moved: ['charge 100.00', 'refund 25.00'], movements: REFUNDED.moved },
    ])
    expect(troubles.map(({ accepted }: { accepted: boolean }) => accepted)).toEqual([true, true, false, true])
    expect(troubles[2]).toMatchObject({ name: 'lost', verdict: 'money wrong', fired: 3, audit: [NO_KEY] })
  })

  test('in HTML is one page, worst first, with the fixes at the top', () => {
    const page = htmlReport(gauntletReport(outcome))
    expect(page).toContain('<h1>1 of 4 money wrong</h1>')
    expect([...page.matchAll(/<h2>(.*?)<\/h2>/g)].map(([, text]) => text)).toEqual([
      'What to fix',
      ...['lost', 'outage', 'drip', 'late'],
    ])
    expect(page).toContain('<a href="#check-3">lost</a>')
    expect(page).toContain('<div id="check-3"><p class="soft">It is lost &amp; more')
    expect(page).toContain('<span class="chip plain">failed loudly</span> <h2>outage</h2>')
    expect(page).toContain('exit code 1 &lt;again&gt;')
    expect(page).toContain('60.0 s in all: 1 survived, 1 failed loudly, 1 money wrong, 1 not exercised.')
    expect(page).not.toMatch(/<(script|img)|href="https?:/)
    expect(leftovers(page)).toEqual([])
  })

  test('ends with the causes, wrong money first, each once', () => {
    const sentence =
      'o-2 was refunded twice, $25.00 too much: req_8 repeats req_7, whose answer was lost, under another key (C2).'
    const second = { ...NO_KEY, rule: 'C2', what: 'req_8 repeats req_7' }
    const failed = [
      { ...result('one', 'audit failed', ['C1, as in the baseline run']), findings: [NO_KEY] },
      result('two', 'failed loudly', ['exit code 1']),
      {
        ...result('three', 'money wrong', [sentence]),
        findings: [NO_KEY, second],
        orders: [twice(sentence, 'C2')],
      },
      { ...result('four', 'audit failed', ['C2: req_8 repeats req_7']), findings: [second] },
    ]
    expect(causeLines(causesIn(failed, {}, new Set(['C1']))).map((line) => line.split(' → ')[0])).toEqual([
      'C2 in 2 runs, money wrong: A retry has another Idempotency-Key',
      `  see three: ${sentence}`,
      '  also in four',
      'The tests failed in 1 run',
      '  see two: exit code 1',
      'C1 in 2 runs and in the baseline run: Money is moved without an Idempotency-Key',
      '  see one: no key',
      '  also in three',
    ])
  })

  test('reports a request without a timeout, whatever else the canceled tests left undone', () => {
    const why = 'it did not end within 64.0 s and was ended: req_1 waited 62.0 s without a timeout'
    const ended = { ...result('one', 'failed loudly', [why]), hasNoTimeout: true }
    expect(causeLines(causesIn([ended], {}, new Set()))).toEqual([
      'A request has no timeout in 1 run → Set a timeout on each request',
      `  see one: ${why}`,
    ])
  })

  test.for([
    ['webhook-duplicated', 'A webhook that arrives again is handled again'],
    ['crash-in-webhook', 'A webhook that arrives again is handled again'],
    ['webhook-late', 'The money differs from the baseline run'],
  ])('names the cause of money that moved again under %s', ([name, cause]) => {
    const said = 'o-2 was refunded twice, $25.00 too much: req_3 and req_4 each asked for it.'
    const trouble = CATALOG.find((trouble) => trouble.name === name)!
    const wrong = { ...result(name!, 'money wrong', [said]), trouble, orders: [twice(said)] }
    const [head] = causeLines(causesIn([wrong], {}, new Set()))
    expect(head!.split(' → ')[0]).toBe(`${cause} in 1 run`)
  })

  test('on the terminal has a line for each, and the reasons below', () => {
    expect(troubleLines(results[1]!, outcome.baseline, 8)).toEqual([
      'failed loudly  outage      3×    1.2 s  It is outage & more (in the baseline)',
      '               exit code 1 <again>',
    ])
  })
})
