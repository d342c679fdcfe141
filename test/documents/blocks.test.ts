/**
 * Every code block of the README and of docs/ is run, compiled or compared with the code. A block fails if its language is not
 * in `CHECKED`, or if no check recognizes its content.
 */
import { execFile, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { signWebhook } from '../../src/index.ts'
import { parseScenario } from '../../src/sandbox/scenario-file/read.ts'
import { OPERATIONS } from '../../src/service/operations/table.ts'
import { PROFILE_KEYS } from '../../src/spec/contract/profile.ts'
import { commandOptions } from '../../src/spec/options/option.ts'
import { START_OPTIONS } from '../../src/spec/options/simulator.ts'
import { RULES } from '../../src/tester/audit/rules.ts'
import { requireFixture } from '../../src/tester/control/fixture.ts'
import { SANDBOX_ROUTES } from '../../src/tester/control/sandbox-verbs.ts'
import { SIMULATOR_ROUTES } from '../../src/tester/control/simulator-verbs.ts'
import { parseProfile } from '../../src/tools/commands/profile.ts'
import { readSettings } from '../../src/tools/commands/settings-file.ts'
import { CATALOG } from '../../src/tools/gauntlet/catalog.ts'
import { NO_VERDICTS, VERDICTS } from '../../src/tools/gauntlet/verdict.ts'
import { newSimulator } from '../control/shop.ts'
import { folder } from '../given.ts'
import { ORDER } from '../order.ts'
import { runPaysim, spawnPaysim, startPaysim } from '../process/paysim.ts'
import { comparable, PROGRAMS, programsWith } from '../process/planted-bugs.ts'
import { workflowMistakes } from '../workflow-mistakes.ts'
import { type Block, blocksOf, named, PAGES } from './blocks.ts'
import { DEFAULT_ADDRESS, DEFAULT_API_KEY, serve } from './stage.ts'
import { hasMistake } from './syntax.ts'

const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)
const blocks = PAGES.flatMap(blocksOf)
const of = (...languages: string[]) => blocks.filter(({ language }) => languages.includes(language))

// `http` blocks are generated from the code; see test/documents.test.ts.
const CHECKED = ['http', 'sh', 'js', 'ts', 'yaml', 'json', 'text', 'python', 'java', 'ruby', 'go', 'php']

test('each block is in a checked language', () => {
  const others = blocks.filter(({ language }) => !CHECKED.includes(language))
  expect(others.map(({ page, line, language }) => `${page}:${line} ${language}`)).toEqual([])
  expect(blocks.length).toBeGreaterThan(30)
})

const VARIABLES = [...commandOptions(START_OPTIONS).map(({ env }) => env), 'PAYSIM_URL', 'PAYSIM_API_KEY']

describe('YAML', () => {
  test.for(named(of('yaml')))('%s is valid', async ([, block]) => {
    const content = parse(block.code)
    // test/scenarios/format-page.test.ts runs the examples of the scenario language.
    if (block.page === 'docs/scenarios.md') return
    if (content.behaviors || content.steps) return checkScenario(block)
    if (content.jobs || content.services) return checkWorkflow(block.code, content)
    if (content.customers || content.checkouts) return requireFixture(content)
    if (block.file === 'paysim.yaml') return checkSettings(block)
    const roots = PROFILE_KEYS.map(({ path }) => path[0])
    if (Object.keys(content).every((key) => roots.includes(key)))
      return void parseProfile(block.code, block.page)
    throw new Error('The check of this kind of YAML is missing: see test/documents/blocks.test.ts')
  })

  function checkSettings({ code }: Block) {
    const at = folder()
    const file = join(at, 'paysim.yaml')
    writeFileSync(file, code)
    expect(() => readSettings(file, at)).not.toThrow()
  }

  async function checkScenario({ code, file = 'scenario.yaml' }: Block) {
    const { steps } = parseScenario(code, file)
    if (!steps) return
    const path = join(folder(), file)
    writeFileSync(path, code)
    const played = await runPaysim(['run', path])
    expect(played).toMatchObject({ code: 0, stdout: expect.stringContaining('1 passed') })
  }

  /** The block is a complete workflow, or the services of one job. */
  async function checkWorkflow(code: string, { jobs }: { jobs?: object }) {
    const indented = code.replace(/^(?=.)/gm, '    ')
    const job = `on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - run: npm test\n${indented}`
    const text = jobs ? code : job
    expect(await workflowMistakes(text)).toEqual([])
    for (const variable of text.match(/\bPAYSIM_\w+/g) ?? []) expect(VARIABLES).toContain(variable)
  }
})

describe('JSON', () => {
  test.for(named(of('json')))('%s is valid JSON', ([, { code }]) => {
    expect(JSON.parse(code)).toBeTypeOf('object')
  })
})

test('the event on the webhooks page matches a real one', async () => {
  const [block] = of('json').filter(({ page }) => page === 'docs/webhooks.md')
  const shown = JSON.parse(block!.code)
  const url = await serve()
  const asked = await fetch(`${url}/v1/events?type=refund.completed`, {
    headers: { 'x-api-key': DEFAULT_API_KEY },
  })
  const [real] = ((await asked.json()) as { data: (typeof shown)[] }).data
  const shapeOf = ({ data, ...event }: typeof shown) => [Object.keys(event), Object.keys(data), data.status]
  expect(shapeOf(shown)).toEqual(shapeOf(real))
  expect(shown.id).toHaveLength(real.id.length)
})

describe('a text block', () => {
  test.for(named(of('text')))('%s matches the real output', async ([, { code }]) => {
    const check = TEXTS.find(({ begins }) => begins.test(code))
    if (!check) throw new Error('The check of this text is missing: see test/documents/blocks.test.ts')
    await check.holds(code)
  })

  const TEXTS: { begins: RegExp; holds(text: string): void | Promise<void> }[] = [
    {
      begins: /^paysim serves on/,
      async holds(text) {
        const { url, said } = await startPaysim()
        // The paths depend on this machine, so they are not compared.
        expect(said.stdout.replaceAll(url, DEFAULT_ADDRESS).slice(0, text.length)).toBe(text)
      },
    },
    { begins: new RegExp(`^(The baseline run passed|${[...VERDICTS].join('|')}) `), holds: holdsGauntlet },
    { begins: /^Now with \d+ pairs of failures/, holds: holdsPair },
    {
      begins: /^paysim\.yaml:2:1: ratelimit/,
      holds(text) {
        const at = folder()
        const file = join(at, 'paysim.yaml')
        writeFileSync(file, 'port: 0\nratelimit: off\n')
        expect(() => readSettings(file, at)).toThrow(text.trimEnd())
      },
    },
    { begins: /^your client .* paysim\n/, holds: holdsLostAnswer },
    { begins: /^\$ npx paysim explain order-3\n/, holds: holdsExplained },
    {
      begins: /^ {2}POST \S+ +x-api-key/,
      holds(text) {
        const [, path] = /POST (\S+)/.exec(text)!
        expect(OPERATIONS.map((operation) => operation.path)).toContain(path!.replace('chk_1', '{id}'))
      },
    },
  ]

  /** Runs the example client against a running paysim; times and ids differ. */
  async function holdsExplained(text: string): Promise<void> {
    const { url, call } = await startPaysim()
    const post = (path: string, body: object, headers = {}) =>
      fetch(`${url}/v1/checkouts${path}`, {
        method: 'POST',
        headers: { 'x-api-key': DEFAULT_API_KEY, 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      })
    const order = { ...ORDER, orderId: 'order-3', externalId: 'ada', amount: 40 }
    const made = await post('', order, { 'idempotency-key': crypto.randomUUID() })
    const { id } = (await made.json()) as { id: string }
    await post(`/${id}/confirm`, {}, { 'idempotency-key': crypto.randomUUID() })
    await call('POST', '/_sim/behaviors', {
      when: { op: 'checkouts.refund' },
      times: 1,
      do: { fault: 'reset', at: 'after-commit' },
    })
    const refund = () => post(`/${id}/refunds`, { amount: 20 }, { 'idempotency-key': crypto.randomUUID() })
    await expect(refund()).rejects.toThrow()
    await refund()
    const { stdout } = await runPaysim(['explain', 'order-3', '--target', url])
    const plain = stdout.replaceAll(/\d\d:\d\d:\d\d\.\d{3}/g, '00:00:00.000').replaceAll(/chk_\w+/g, 'chk_…')
    const [, ...lines] = text.trimEnd().split('\n')
    expect(plain.split('\n').slice(0, lines.length)).toEqual(lines)
  }

  /** Each trouble has its sentence from the catalog, with indented lines below. Each cause has a rule. */
  function holdsGauntlet(text: string): void {
    const verdicts = [...VERDICTS, ...NO_VERDICTS].join('|')
    const [table = '', ...ends] = text.split('\nWhat to fix:\n')
    for (const [, id, title, todo] of ends.join().matchAll(/^(C\d+) in .*?: (.*) → (.*)$/gm)) {
      expect(RULES).toContainEqual(expect.objectContaining({ id, title, todo }))
    }
    const lines = table
      .split('\n')
      .filter((line) => !/^( {15}\S|The baseline run passed|\d+ survived, |$)/.test(line))
    for (const line of lines) {
      const [, name, sentence] =
        new RegExp(`^(?:${verdicts}) +([\\w-]+) +\\d+× +[\\d.]+ m?s  (.*)$`).exec(line) ?? []
      expect(CATALOG).toContainEqual(expect.objectContaining({ name, sentence }))
    }
    expect(lines.length).toBeGreaterThan(2)
  }

  /** Runs the shown pair by name; test/long/pairs.test.ts compares the output of the whole search. */
  async function holdsPair(text: string): Promise<void> {
    const [, pair] = /^money wrong +(\S+) /m.exec(text)!
    const cwd = programsWith('rotates the key at the third try')
    const gauntlet = ['gauntlet', '--only', pair!, '--', ...PROGRAMS['sale.mjs']]
    const { stdout } = await spawnPaysim(gauntlet, {}, { cwd }).exited
    const row = /^money wrong .*\n.*$/m
    expect(comparable(row.exec(stdout)![0])).toBe(comparable(row.exec(text)![0]))
  }

  /** Runs the diagram of the README, and compares its amounts, key, statuses and header. */
  async function holdsLostAnswer(text: string): Promise<void> {
    const simulator = newSimulator()
    const { url } = await simulator.listen()
    const shop = simulator.sandbox('default')
    const [, charged, refunded] = /charged ([\d.]+), refunded ([\d.]+)/.exec(text)!
    const [, key] = /idempotency-key: (\w+)/.exec(text)!
    const post = (path: string, body: object) =>
      fetch(`${url}/v1/checkouts${path}`, {
        method: 'POST',
        headers: { 'x-api-key': shop.apiKey, 'content-type': 'application/json', 'idempotency-key': key! },
        body: JSON.stringify(body),
      })
    const made = await post('', { ...ORDER, amount: Number(charged) })
    const { id } = (await made.json()) as { id: string }
    await post(`/${id}/confirm`, {})
    shop.arm({ when: { op: 'checkouts.refund' }, times: 1, do: { fault: 'reset', at: 'after-commit' } })
    const refund = () => post(`/${id}/refunds`, { amount: Number(refunded) })
    await expect(refund()).rejects.toThrow()
    const answer = await refund()
    expect(text).toContain(
      `${answer.status} ref_1, idempotent-replayed: ${answer.headers.get('idempotent-replayed')}`,
    )
    expect(shop.ledger().sums).toMatchObject({ charged: Number(charged), refunded: Number(refunded) })
  }
})

describe('another language', () => {
  const others = of('python', 'java', 'ruby', 'go', 'php')

  test.for(named(others))('%s has valid syntax', async ([, { language, code }]) => {
    expect(await hasMistake(language, code)).toBe(false)
    expect(await hasMistake(language, `${code}\n}{(`)).toBe(true)
  })

  const paths = [
    ...OPERATIONS.map(({ path }) => path),
    ...SIMULATOR_ROUTES.map(({ path }) => `/_sim${path}`),
    ...SANDBOX_ROUTES.map(({ path }) => `/_sim/sandboxes/{sandbox}${path}`),
  ]

  test.for(named(others))('%s uses existing paths and valid behaviors', ([, { code }]) => {
    const used = [...code.matchAll(/\/(?:v1|_sim)\/[^"'`\s]+/g)].map(([path]) => path)
    for (const path of used) expect(paths.map(shapeOf)).toContain(shapeOf(path))
    const simulator = newSimulator()
    const armed = [...code.matchAll(/\{ ?"when": .*\}\}/g)].map(([json]) => JSON.parse(json))
    for (const behavior of armed) simulator.sandbox('default').arm(behavior)
  })

  /** `{id}`, `%s`, `#{name}` and `{$this->name}` all match any one segment. */
  const shapeOf = (path: string) => path.replace(/[#$]?\{[^}]*\}|%s/g, '*')

  test.for(named(of('python')))('%s is part of examples/pytest', ([, { code }]) => {
    const files = ['paysim.py', 'payments.py', 'test_refund.py', 'container.py', 'webhooks.py'].map((file) =>
      readFileSync(join(root, 'examples/pytest', file), 'utf8'),
    )
    expect(files.filter((text) => text.includes(code.trim()))).toHaveLength(1)
  })
})

test('the Python on the webhooks page accepts webhooks that paysim signs, and nothing else', async () => {
  const [secret, body] = ['whsec_cGF5c2lt', '{"amount":1}']
  const headers = signWebhook(body, { secret, id: 'evt_1' })
  const taken = async (got: string, sent: object) => {
    const given = [got, JSON.stringify(sent), secret]
    const code =
      'import sys, json, webhooks; body, sent, key = sys.argv[1:]; print(webhooks.is_valid(body.encode(), json.loads(sent), key))'
    const cwd = join(root, 'examples/pytest')
    return (await run('python3', ['-B', '-c', code, ...given], { cwd })).stdout.trim()
  }
  const late = { ...headers, 'webhook-timestamp': '1' }
  expect(await Promise.all([taken(body, headers), taken(`${body} `, headers), taken(body, late)])).toEqual([
    'True',
    'False',
    'False',
  ])
})

describe('examples/pytest', () => {
  const hasPytest = spawnSync('python3', ['-m', 'pytest', '--version']).status === 0

  test.runIf(hasPytest)('passes, and leaves no sandbox behind', async () => {
    const simulator = newSimulator()
    const { url } = await simulator.listen()
    const { stdout } = await run(
      'python3',
      ['-m', 'pytest', '-p', 'no:cacheprovider', join(root, 'examples/pytest')],
      {
        env: { ...process.env, PAYSIM_URL: url, PYTHONDONTWRITEBYTECODE: '1' },
      },
    )
    expect(stdout).toContain('3 passed')
    expect(simulator.sandboxes().map(({ name }) => name)).toEqual(['default'])
  })
})
