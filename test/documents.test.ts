/**
 * README and docs are correct: their tables are generated from the code, and their links work. After a change that affects a
 * table, `npm run readme:update` rewrites it. test/documents and test/long/documents-*.test.ts run the examples.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { FAULTS } from '../src/sandbox/behaviors/faults/registry.ts'
import { scenarioJsonSchema } from '../src/sandbox/scenario-file/format.ts'
import { SourceFile } from '../src/sandbox/scenario-file/source-file.ts'
import { testValues } from '../src/service/environments/staging.ts'
import { OPERATIONS, operationsUnder } from '../src/service/operations/table.ts'
import { arrivingUnder, CONNECTION_FAULT_KINDS, lastingOf } from '../src/spec/contract/connection-fault.ts'
import { contractOf } from '../src/spec/contract/contract.ts'
import { DECISIONS } from '../src/spec/contract/decisions.ts'
import { DURATION_MAX_MS, formatDuration } from '../src/spec/contract/duration.ts'
import { EVENT_TYPES, RESOURCES, resourceName } from '../src/spec/contract/event.ts'
import { CLOCK_MAX_MS, RATE_LIMIT_REQUESTS, TESTER_LIMITS } from '../src/spec/contract/limits.ts'
import type { ResourceField } from '../src/spec/contract/resources/field.ts'
import { BY_NAME, DEFINITIONS } from '../src/spec/contract/resources/index.ts'
import type { MoveRow } from '../src/spec/contract/resources/resource.ts'
import { formatInstant } from '../src/spec/contract/time.ts'
import { operationOf } from '../src/spec/contract/translation.ts'
import { stagingValues } from '../src/spec/environments/values.ts'
import { Fixture } from '../src/spec/options/fixture.ts'
import { type CommandOption, commandOptions } from '../src/spec/options/option.ts'
import { START_OPTIONS } from '../src/spec/options/simulator.ts'
import { TROUBLES } from '../src/tester/audit/coverage.ts'
import { RULES } from '../src/tester/audit/rules.ts'
import { SANDBOX_ROUTES } from '../src/tester/control/sandbox-verbs.ts'
import { SIMULATOR_ROUTES } from '../src/tester/control/simulator-verbs.ts'
import { settingsJsonSchema } from '../src/tools/commands/settings-file.ts'
import { createSimulator } from '../src/tools/compose.ts'
import { NO_VERDICTS, VERDICTS } from '../src/tools/gauntlet/verdict.ts'
import { CASES } from '../src/tools/grade/cases.ts'
import type { CommandRow } from '../src/tools/options/command-row.ts'
import { COMMANDS } from '../src/tools/options/commands.ts'
import { BEHAVIOR_EXAMPLES, DO_EXAMPLES, WHEN_EXAMPLES } from './documents/behavior-examples.ts'
import { examples, filters, requestFields, resources } from './documents/contract-reference.ts'
import { withInstallLines } from './documents/install-lines.ts'
import { methods, options } from './documents/object-reference.ts'
import { profileKeys } from './documents/profile-keys.ts'
import { type JsonSchema, keysOf } from './documents/schema-table.ts'
import { serverJson } from './documents/server-json.ts'
import { shopVerdicts } from './documents/shop-verdicts.ts'
import { table } from './documents/table.ts'
import { STEPS } from './environments/steps.ts'
import { buyerPageRows } from './scenarios/buyer-pages.ts'

const README = new URL('../README.md', import.meta.url)
const readme = () => readFileSync(README, 'utf8')

type Form = JsonSchema & { properties: Record<string, JsonSchema> }

/** The schema that editors use, so that the page has the same texts. */
const definitions = scenarioJsonSchema().definitions as Record<string, JsonSchema>
const formsOf = (name: string) => definitions[name]!.anyOf as Form[]
/** Each variant of a union, named by its first required key. */
const wordsOf = (forms: readonly Form[]) =>
  forms
    .map(({ required = [], properties }) => [
      `\`${required[0]}\``,
      properties[required[0]!]!.description ?? '',
    ])
    .filter(([word], index, all) => all.findIndex(([name]) => name === word) === index)

/** Each key of one part of a behavior, with its example. */
const keyTable = (schema: JsonSchema, examples: Record<string, string>) =>
  table(
    ['Key', 'Takes', '', 'Example'],
    keysOf(schema, definitions).map(({ path, takes, means }) => [
      `\`${path}\``,
      takes,
      means,
      `\`${examples[path]}\``,
    ]),
  )

/** The steps under a heading that starts with the same word. Keys shared by several steps are listed once. */
function stepTables(): string {
  const { Sandbox, ExpectOfMany, Until, Eventually, Receiver } = definitions as Record<string, JsonSchema>
  const ofSeveral = /^(id|capture)$|^parallel\.steps\.|\.(exactly|atLeast|atMost)$/
  const ofCall = new Set<string>()
  const step = (form: Form) => {
    const rows = keysOf(form, definitions).filter(
      // The page explains the words of a step and of a command before this table.
      ({ path, isRequired }) => !ofSeveral.test(path) && !(isRequired && /^(\w+|sim\.\w+)$/.test(path)),
    )
    const added = form.required![0] === 'repeat' ? rows.filter(({ path }) => !ofCall.has(path)) : rows
    if (form.required![0] === 'call') for (const { path } of rows) ofCall.add(path)
    return [form.required![0]!, added] as const
  }
  const expected = keysOf(ExpectOfMany!, definitions)
  return [
    ['sandbox', keysOf(Sandbox!, definitions)] as const,
    ...formsOf('Step').map(step),
    ['expect', expected] as const,
    [
      'until, beside those of expect',
      keysOf(Until!, definitions).filter(
        ({ path, means }) => !expected.some((row) => row.means === means) && path !== 'status',
      ),
    ] as const,
    ['eventually', keysOf(Eventually!, definitions)] as const,
    ['an answer of receiver', keysOf(Receiver!, definitions)] as const,
  ]
    .filter(([, rows]) => rows.length > 0)
    .map(([name, rows]) => {
      const cells = rows.map(({ path, takes, means }) => [
        `\`${path}\``,
        /\.(count|attempts)$/.test(path) ? 'a number or `{ atLeast, atMost }`' : takes,
        means,
      ])
      return `#### Keys of ${name}\n\n${table(['Key', 'Takes', ''], cells)}`
    })
    .join('\n\n')
}

/** All generated tables, by page in docs/; each is between `<!-- name -->` and `<!-- /name -->`. */
const TABLES: Record<string, Record<string, () => string | Promise<string>>> = {
  'contract.md': {
    endpoints: () =>
      table(
        ['Endpoint', 'Idempotency-Key', ''],
        OPERATIONS.map(({ method, path, honorsKey, summary }) => [
          `\`${method} ${path}\``,
          honorsKey ? 'honored' : '',
          summary,
        ]),
      ),
    fields: requestFields,
    filters,
    resources,
    examples,
  },
  'object.md': { methods, options },
  'behaviors.md': {
    behavior: () => keyTable(definitions.Behavior!, BEHAVIOR_EXAMPLES),
    when: () => keyTable(definitions.When!, WHEN_EXAMPLES),
    faults: () =>
      table(
        ['`do`', ''],
        Object.entries(FAULTS).map(([verb, { sentence }]) => [`\`${verb}\``, sentence]),
      ),
    do: () => keyTable(definitions.Do!, DO_EXAMPLES),
  },
  'fixtures.md': {
    fixture: () => {
      const schema = z.toJSONSchema(z.object({ fixture: Fixture }), { io: 'input', unrepresentable: 'any' })
      return table(
        ['Key', 'Takes', ''],
        keysOf(schema.$defs!.Fixture as JsonSchema, {}).map(({ path, takes, means, isRequired }) => [
          `\`${path}\`${isRequired ? ' (required)' : ''}`,
          takes,
          means,
        ]),
      )
    },
  },
  'scenario-reference.md': {
    limits: () =>
      table(
        ['At most', 'of'],
        [
          ...Object.values(TESTER_LIMITS).map(({ max, what }) => [max.toLocaleString('en'), what]),
          [formatDuration(DURATION_MAX_MS), 'a duration, such as `delay`, `max`, `ttl`, `advance`'],
          [formatInstant(CLOCK_MAX_MS), 'a time'],
        ],
      ),
    steps: () => table(['Step', ''], wordsOf(formsOf('Step'))),
    keys: stepTables,
    // test/scenarios/buyer.test.ts follows them.
    buyer: () => table(['Heading', 'Fields', 'Buttons and links', 'What follows'], buyerPageRows()),
    sim: () =>
      table(
        ['`sim`', ''],
        wordsOf(
          formsOf('Step').find(({ properties }) => 'sim' in properties)!.properties.sim!.anyOf as Form[],
        ),
      ),
    matchers: () =>
      table(
        ['Matcher', ''],
        Object.entries(definitions.Matcher!.properties!).map(([word, { description = '' }]) => [
          `\`${word}\``,
          description,
        ]),
      ),
  },
  'library.md': {
    scenarios: () => {
      const folder = new URL('../scenarios/', import.meta.url)
      const files = readdirSync(folder).filter((file) => file.endsWith('.yaml') && file !== 'setups.yaml')
      return table(
        ['Scenario', 'What happens', 'Why it matters'],
        files.map((file) => {
          const { content } = new SourceFile(readFileSync(new URL(file, folder), 'utf8'), file)
          const { name, why } = content as { name: string; why: string }
          return [`[${file.replace('.yaml', '')}](../scenarios/${file})`, name, why]
        }),
      )
    },
  },
  'staging.md': {
    'test-values': () =>
      table(
        ['', 'Value', 'Where', ''],
        testValues(stagingValues, 'USD').map(({ what, value, where, why }) => [
          what,
          `\`${value}\``,
          where,
          why,
        ]),
      ),
  },
  'environments.md': {
    // test/environments/shortcuts.test.ts runs each step.
    steps: () =>
      table(
        ['Step', 'Staging', 'Production'],
        STEPS.map(({ step, staging, production }) => [step, staging, production]),
      ),
  },
  'control-api.md': {
    control: () =>
      table(['Route', ''], [...prefixed('/_sim', SIMULATOR_ROUTES), ...prefixed('/_sim', SANDBOX_ROUTES)]),
  },
  'options.md': {
    options: () => optionTable(commandOptions(START_OPTIONS)),
    commands: () =>
      (Object.entries(COMMANDS) as [string, CommandRow][])
        .filter(([name]) => name !== 'start')
        .map(
          ([name, { summary, options }]) =>
            `### paysim ${name}\n\n${sentence(summary)}\n\n${optionTable(commandOptions(options, name))}`,
        )
        .join('\n\n'),
  },
  'profile-keys.md': { keys: profileKeys },
  'audit.md': {
    rules: () =>
      table(
        ['', 'Rule', '', 'Why it costs money', 'What to do'],
        RULES.map(({ id, title, severity, costs, todo }) => [id, title, severity, costs, todo]),
      ),
    troubles: () =>
      table(
        ['Trouble', '', 'What tries it'],
        TROUBLES.map(({ id, title, arm = [] }) => [
          `\`${id}\``,
          title,
          arm[0] ? `\`paysim gauntlet --only ${arm[0].name}\`` : '',
        ]),
      ),
  },
  'grade.md': {
    cases: () =>
      table(
        ['What is sent', 'Expected', 'Handled', 'How to fix it'],
        CASES.map(({ name, expected, effects, fix }) => [
          name,
          expected === 'taken' ? '2xx' : '4xx',
          effects === undefined ? '' : String(effects),
          fix,
        ]),
      ),
  },
  'webhooks.md': {
    events: () =>
      table(
        ['`data`', 'Types'],
        Object.keys(RESOURCES).map((name) => [
          name.replace('_', ' '),
          EVENT_TYPES.filter((type) => resourceName(type) === name)
            .map((type) => `\`${type}\``)
            .join(', '),
        ]),
      ),
  },
  'gauntlet.md': {
    troubles: async () => table(['Verdict', 'Trouble', 'What happens'], await shopVerdicts()),
  },
}

const sentence = (text: string) => `${text[0]!.toUpperCase()}${text.slice(1)}.`

const optionTable = (options: readonly CommandOption[]) =>
  table(
    ['Flag', 'Environment', 'Default', ''],
    options
      .filter(({ hidden }) => !hidden)
      .map(({ flag, argument, placeholder, env, shownDefault, help }) => [
        `\`${placeholder ? `${flag} ${placeholder}` : flag}\``,
        env && `\`${env}\``,
        argument && shownDefault === 'none' ? '' : shownDefault,
        help,
      ]),
  )

/** The chapter of docs/service.md that contains a section of the specification, such as `§3`. */
function chapterOf(section: string): string {
  const page = readFileSync(new URL('../docs/service.md', import.meta.url), 'utf8')
  const chapter = page.split(/^(?=## )/m).find((text) => text.startsWith(`## ${section.slice(1)}. `))
  if (!chapter) throw new Error(`docs/service.md has no chapter ${section}`)
  return chapter.replace(/^###/gm, '')
}

const prefixed = (prefix: string, rows: readonly { method: string; path: string; summary: string }[]) =>
  rows.map(({ method, path, summary }) => [`\`${method} ${prefix}${path}\``, summary])

describe('README.md', () => {
  const fence = (text: string) => [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, code]) => code!)

  it('starts with install commands that work: for a checkout, or for the published package', () => {
    // PUBLISHED_IMAGE is set by the workflow of a release.
    const right = withInstallLines(readme(), process.env.PUBLISHED_IMAGE)
    if (process.env.UPDATE_DOCUMENTS) writeFileSync(README, right)
    expect(readme()).toBe(right)
    const [first] = fence(right)
    expect(first).toMatch(
      right.includes('<!-- install: checkout') ? /^npm ci && npm start$/m : /^npm install /,
    )
  })

  it('has the published commands after a release, and none for a checkout', () => {
    const checkout = readme().replace(/<!-- install: .* -->/, '<!-- install: checkout -->')
    const published = withInstallLines(checkout, 'ghcr.io/somebody/paysim')
    expect(withInstallLines(published)).toBe(published)
    expect(fence(published).slice(0, 2)).toEqual([
      'npm install --save-dev paysim\nnpx paysim start\n',
      'docker run -p 4100:4100 ghcr.io/somebody/paysim\n',
    ])
    expect(fence(published).join('')).not.toMatch(/npm (ci|pack|start)\b|docker build/)
  })
})

describe.each(Object.entries(TABLES))('docs/%s', (page, tables) => {
  const file = new URL(`../docs/${page}`, import.meta.url)
  it.each(Object.keys(tables))('has an up-to-date table of %s', async (name) => {
    const text = readFileSync(file, 'utf8')
    const content = await tables[name]!()
    const block = new RegExp(`(<!-- ${name} -->\n)[^]*?(<!-- /${name} -->)`)
    expect(text).toMatch(block)
    const right = text.replace(block, (_, open, close) => `${open}${content}\n${close}`)
    if (process.env.UPDATE_DOCUMENTS) writeFileSync(file, right)
    expect(readFileSync(file, 'utf8')).toBe(right)
  })
})

describe('the documents', () => {
  const root = new URL('../', import.meta.url)
  const pages = readdirSync(new URL('docs/', root))
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`)
  const read = (path: string) => readFileSync(new URL(path, root), 'utf8')

  it('start with a README that is short enough to read in one sitting', () => {
    const text = readme().replaceAll(/<picture>.*<\/picture>\n\n/g, '')
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(150)
  })

  it.each(['README.md', 'llms.txt', ...pages])('%s has only links to existing files and headings', (path) => {
    const targets = [...read(path).matchAll(/\]\((?!https?:)([^)]+)\)/g)].map(([, target]) => target!)
    const broken = targets.filter((target) => {
      const [file, heading] = target.split('#')
      const to = file ? new URL(file, new URL(path, root)) : new URL(path, root)
      if (!existsSync(to)) return true
      return heading !== undefined && !headings(readFileSync(to, 'utf8')).includes(heading)
    })
    expect(broken).toEqual([])
  })

  it('have a schema of paysim.yaml, for editors', () => {
    const right = `${JSON.stringify(settingsJsonSchema(), null, 2)}\n`
    const at = new URL('paysim.schema.json', root)
    if (process.env.UPDATE_DOCUMENTS) writeFileSync(at, right)
    expect(read('paysim.schema.json')).toBe(right)
  })

  it('have the file for the registry of MCP servers, also after a release', () => {
    const manifest = JSON.parse(read('package.json'))
    const right = serverJson(manifest)
    if (process.env.UPDATE_DOCUMENTS) writeFileSync(new URL('server.json', root), right)
    expect(read('server.json')).toBe(right)
    // The length limits of the schema at https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json
    const { name, description, packages } = JSON.parse(right)
    expect(name).toMatch(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/)
    expect(description.length).toBeLessThanOrEqual(100)
    expect(packages[0].environmentVariables).toContainEqual(
      expect.objectContaining({ name: 'PAYSIM_ADMIN_TOKEN', isSecret: true }),
    )
    const repository = { url: 'git+https://github.com/somebody/paysim.git' }
    const released = JSON.parse(serverJson({ ...manifest, mcpName: 'io.github.somebody/paysim', repository }))
    expect([released.name, released.repository]).toEqual([
      'io.github.somebody/paysim',
      { url: 'https://github.com/somebody/paysim', source: 'github' },
    ])
  })

  it('have an index of all pages, which is also in llms.txt', () => {
    const rows = [...read('docs/README.md').matchAll(/^\| (.*?) \| \[(.*?)\]\((.*?)\) \|$/gm)]
    const indexed = rows.map(([, , , page]) => `docs/${page}`)
    expect(indexed.sort()).toEqual(pages.filter((page) => page !== 'docs/README.md').sort())
    const list = rows.map(([, question, title, page]) => `- [${title}](docs/${page}): ${question}\n`).join('')
    const text = read('llms.txt')
    const right = text.replace(/(## Pages\n\n)[\s\S]*$/, (_, heading) => heading + list)
    if (process.env.UPDATE_DOCUMENTS) writeFileSync(new URL('llms.txt', root), right)
    expect(read('llms.txt')).toBe(right)
  })
})

/** The anchors that GitHub generates from headings. */
const headings = (text: string) =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  )

describe('docs/behaviors.md', () => {
  const examples = [BEHAVIOR_EXAMPLES, WHEN_EXAMPLES, DO_EXAMPLES].flatMap((part) => Object.entries(part))

  it.each(examples)('has a valid example of %s: %s', (_, example) => {
    const { when = {}, do: does, ...how } = parse(`{ ${example} }`)
    const isAbout = (word: string) => word in when || (does && word in does)
    const refunds = { resource: 'refund', enters: 'pending' }
    const whole = isAbout('event')
      ? { when, do: { webhook: { drop: true } } }
      : isAbout('resource') || isAbout('transition')
        ? { when: refunds, do: does ?? { transition: 'completed', after: 'now' } }
        : isAbout('forward')
          ? { when: { stub: 'GET /v1/balance' }, do: does }
          : { when, do: does ?? { delay: '1ms' } }
    createSimulator()
      .sandbox('shop')
      .arm({ ...how, ...whole })
  })

  it('has no example of an unknown behavior', () => {
    const known = ['Behavior', 'When', 'Do'].flatMap((name) => keysOf(definitions[name]!, definitions))
    expect(examples.map(([path]) => path)).toEqual(known.map(({ path }) => path))
  })
})

it('docs/contract.md would have the type of each field, and the key of a map that filters', () => {
  const types = ['text', 'number', 'amount', 'time', 'boolean', 'map'] as const
  const add = { refund: Object.fromEntries(types.map((type) => [`${type}Field`, { type, filter: true }])) }
  const operations = operationsUnder(contractOf({ add }))
  const rows = requestFields(operations).matchAll(/\| `POST \/v1\/refunds` \| `(\w+)Field` \| (.*?) \|/g)
  expect([...rows].map(([, type, takes]) => [type, takes])).toEqual([
    ['text', 'a text of up to 255 characters'],
    ['number', 'a number'],
    ['amount', 'an amount'],
    ['time', 'a time'],
    ['boolean', '`true` or `false`'],
    ['map', 'an object of texts'],
  ])
  expect(filters(operations)).toContain('`booleanField`, `mapField[key]` |')
})

it('docs/contract.md has a real request of every operation', () => {
  const text = readFileSync(new URL('../docs/contract.md', import.meta.url), 'utf8')
  const requests = [...text.matchAll(/^```http\n([A-Z]+ [^\s?]+)/gm)].map(([, call]) => {
    const [method, target] = call!.split(' ') as [string, string]
    return operationOf({ method, target })
  })
  expect([...new Set(requests)].sort()).toEqual(OPERATIONS.map(({ id }) => id).sort())
})

describe('docs/gauntlet.md', () => {
  const file = new URL('../docs/gauntlet.md', import.meta.url)

  it('lists each verdict', () => {
    const text = readFileSync(file, 'utf8')
    for (const verdict of [...VERDICTS, ...NO_VERDICTS]) expect(text).toContain(`| ${verdict} |`)
  })
})

it.each(BY_NAME)('docs/service.md says what a $name is', ({ words }) => {
  expect(chapterOf('§2')).toMatch(new RegExp(`^- An? \\*\\*${words.one}\\*\\* `, 'im'))
})

describe('a decision', () => {
  const rows = [
    ...readFileSync(new URL('../docs/decisions.md', import.meta.url), 'utf8').matchAll(
      /^\| (D\d+) \| \[(§\d)\]\(service\.md#(\S+)\) \| ([^|]+) \| [^|]+ \| (?:ours|implied) \|$/gm,
    ),
  ].map(([, id, spec, anchor, topic]) => ({ id: id!, spec: spec!, anchor: anchor!, topic: topic! }))
  const source = readdirSync(new URL('../src/', import.meta.url), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('decisions.ts'))
    .map((file) => readFileSync(new URL(`../src/${file}`, import.meta.url), 'utf8'))
    .join('\n')
  const cited = new Set([...source.matchAll(/\bD(\d+)\b/g)].map(([id]) => id))

  it('has the same number and topic in the code and in docs/decisions.md, without a gap', () => {
    expect(rows.map(({ id, topic }) => [id, topic])).toEqual(Object.entries(DECISIONS))
    expect(rows.map(({ id }) => id)).toEqual(rows.map((_, index) => `D${index + 1}`))
  })

  it.each(rows)('$id ($topic) is cited in the code', ({ id }) => {
    expect(cited).toContain(id)
  })

  it.each(BY_NAME.filter(({ decision }) => decision !== 'none'))(
    '$decision names each state of a $name, also in docs/service.md, and says whether it expires',
    ({ decision, states, moves }) => {
      const linesOf = (file: string, mark: string) =>
        readFileSync(new URL(`../docs/${file}`, import.meta.url), 'utf8')
          .split('\n')
          .filter((line) => line.includes(mark))
          .join('\n')
      for (const text of [linesOf('decisions.md', `| ${decision} |`), linesOf('service.md', `(${decision})`)])
        expect(states.filter((state) => !new RegExp(`\\b${state}\\b`).test(text))).toEqual([])
      const isTimed = Object.values<MoveRow>(moves).some(({ by }) => by === 'time')
      const saysNever = linesOf('decisions.md', `| ${decision} |`).includes('It does not expire.')
      expect(saysNever).toBe(!isTimed)
    },
  )

  it('of a new checkout names its required fields in docs/service.md', () => {
    const [bullet] = /^- A \*\*checkout\*\*[\s\S]*?(?=\n- )/m.exec(chapterOf('§2')) ?? []
    const named = [...bullet!.matchAll(/`(\w+)`/g)].map(([, name]) => name)
    const required = Object.entries<ResourceField>(DEFINITIONS.checkout.fields).filter(
      ([, { options }]) => options.sent === 'required',
    )
    expect(named.sort()).toEqual(required.map(([name]) => name).sort())
  })

  it('that the code cites is listed', () => {
    expect([...cited].filter((id) => !(id in DECISIONS))).toEqual([])
  })

  it.each(rows)('$id is in chapter $spec of docs/service.md', ({ id, spec, anchor }) => {
    expect(headings(chapterOf(spec))).toEqual([anchor])
    expect([...chapterOf(spec).matchAll(/\bD\d+\b/g)].map(([found]) => found)).toContain(id)
  })
})

describe('CONTRIBUTING.md', () => {
  const text = readFileSync(new URL('../CONTRIBUTING.md', import.meta.url), 'utf8')

  it('describes every wing and room', () => {
    const foldersIn = (folder: string) =>
      readdirSync(new URL(`../src/${folder}`, import.meta.url), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => name)
    const wings = text.match(/## The wings\n([\s\S]*?)\n## /)![1]!
    const rows = [...wings.matchAll(/^\| `(\w+)` \| (.*) \|$/gm)].map(([, wing, rooms]) => [
      wing!,
      [...rooms!.matchAll(/`([\w-]+)` \(|`([\w-]+)`(?=,|$)/g)].map(([, room, last]) => room ?? last!).sort(),
    ])
    expect(Object.fromEntries(rows)).toEqual(
      Object.fromEntries(foldersIn('').map((wing) => [wing, foldersIn(`${wing}/`).sort()])),
    )
  })

  it('links to a README of each wing, with existing file names only', () => {
    const wings = readdirSync(new URL('../src/', import.meta.url), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => new URL(`../src/${name}/README.md`, import.meta.url))
    const missing = wings.flatMap((readme) =>
      [...readFileSync(readme, 'utf8').matchAll(/`([\w./-]+\.tsx?)`/g)]
        .map(([, path]) => new URL(path!, readme))
        .filter((path) => !existsSync(path)),
    )
    expect(missing).toEqual([])
  })

  it('names only existing files', () => {
    const files = [...text.matchAll(/`((?:src|test)\/[\w./-]+)`/g)].map(([, path]) => path!)
    expect(files.length).toBeGreaterThan(5)
    expect(files.filter((path) => !existsSync(new URL(`../${path}`, import.meta.url)))).toEqual([])
  })
})

describe('docs/internals/how-to-add.md', () => {
  const text = readFileSync(new URL('../docs/internals/how-to-add.md', import.meta.url), 'utf8')
  const recipes = text.split(/^## /m).slice(1)
  const titleOf = (recipe: string) => recipe.split(/[,(]|$/m)[0]!.trim()
  const isThere = (path: string) => existsSync(new URL(`../${path}`, import.meta.url))
  const isPath = (code: string) => /^(src|test|docs|scenarios|examples|fixtures)(\/|$)/.test(code)
  const isFileName = (code: string) => /^[\w.-]+\.(tsx?|md|json)$/.test(code)

  it('has six lists of at most five steps, and a check enforces each step', () => {
    expect(recipes.map(titleOf)).toHaveLength(6)
    for (const recipe of recipes) {
      expect(recipe.match(/^\d\. /gm)!.length).toBeLessThanOrEqual(5)
      expect(recipe).not.toContain('nothing')
    }
  })

  it.each(recipes.map((recipe) => [titleOf(recipe), recipe] as const))(
    'names only existing places: %s',
    (_, recipe) => {
      const codes = [...recipe.matchAll(/`([^`]+)`/g)].map(([, code]) => code!)
      const paths = codes.filter(isPath)
      expect(paths.filter((path) => !isThere(path))).toEqual([])
      // A file name without a folder belongs to the folder of a path in the same recipe.
      const folders = paths.flatMap((path) => [path, path.replace(/\/[^/]*$/, '')])
      const lost = codes.filter(isFileName).filter((name) => !isThere(name))
      expect(lost.filter((name) => !folders.some((folder) => isThere(`${folder}/${name}`)))).toEqual([])
    },
  )
})

describe('The default rate limit in the texts equals the code', () => {
  it.each([
    ['README.md', [/(\d+) requests a minute/]],
    ['docs/contract.md', [/(\d+) requests a minute/]],
    ['docs/service.md', [/(\d+) requests a minute/]],
  ] as const)('%s', (file, places) => {
    const text = readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')
    for (const place of places)
      expect([place, place.exec(text)?.[1]]).toEqual([place, `${RATE_LIMIT_REQUESTS}`])
  })
})

describe('A list of faults is complete', () => {
  const breaking = CONNECTION_FAULT_KINDS.filter(
    (kind) => arrivingUnder(kind) !== 'whole' && kind !== 'bad-json',
  )
  it.each([
    [
      'docs/https.md',
      /breaks a\s+connection \(([^)]*)\)/,
      breaking.filter((kind) => lastingOf(kind) === undefined),
    ],
    [
      'docs/scaling.md',
      /\| (`[^|]*), event streams \|/,
      breaking.filter((kind) => kind !== 'reset' && kind !== 'crash'),
    ],
  ] as const)('%s', (file, place, kinds) => {
    const listed = place.exec(readFileSync(new URL(`../${file}`, import.meta.url), 'utf8'))?.[1]
    expect(listed).toBe(kinds.map((kind) => `\`${kind}\``).join(', '))
  })
})
