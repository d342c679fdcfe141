/** The plan of the house as a test: who may import whom, and words that have their one place. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')

interface MayImport {
  /** Folders and single files of ours; `type store` may be imported for its types alone. */
  folders: readonly string[]
  packages: readonly string[]
}

const everything: MayImport = { folders: ['*'], packages: ['*'] }

/** From the inside out: a folder imports itself and what its row names. */
const TABLE: Record<string, MayImport> = {
  contract: { folders: [], packages: ['zod'] },
  world: { folders: [], packages: ['nanoid', 'node:crypto'] },
  domain: { folders: ['contract'], packages: ['zod'] },
  store: {
    folders: ['contract', 'domain'],
    packages: ['type better-sqlite3', 'zod', 'node:fs', 'node:module', 'node:path', 'node:zlib'],
  },
  environments: { folders: ['contract', 'type domain'], packages: [] },
  operations: {
    folders: ['contract', 'domain', 'type store', 'type environments', 'type world'],
    packages: ['type zod'],
  },
  conduct: { folders: ['contract', 'junit.ts'], packages: ['zod'] },
  grade: {
    folders: ['webhooks', 'world', 'type control', 'junit.ts', 'node-http.ts'],
    packages: ['node:events', 'node:https', 'node:net', 'node:stream/consumers'],
  },
  gate: {
    folders: ['contract', 'type store', 'operations', 'world'],
    packages: ['zod', 'node:buffer', 'node:crypto'],
  },
  webhooks: {
    folders: ['contract', 'type store', 'world', 'node-http.ts', 'package.ts'],
    packages: ['node:crypto', 'node:events', 'type node:http', 'node:https', 'node:util'],
  },
  agenda: { folders: ['contract', 'store', 'operations', 'type webhooks', 'type world'], packages: [] },
  options: {
    folders: ['contract', 'conduct', 'environments', 'webhooks', 'type control'],
    packages: ['zod', 'node:fs', 'node:path'],
  },
  'scenario-file': {
    folders: ['contract', 'options', 'lazy-part.ts'],
    packages: ['zod', 'yaml', 're2js', 'node:fs', 'node:fs/promises', 'node:module', 'node:path'],
  },
  behaviors: {
    folders: [
      'contract',
      'type store',
      'gate',
      'webhooks',
      'type environments',
      'scenario-file',
      'type world',
      'lazy-part.ts',
    ],
    packages: ['zod', 'node:fs/promises', 'node:util'],
  },
  recorder: { folders: ['contract', 'scenario-file'], packages: ['yaml'] },
  player: {
    folders: [
      ...['contract', 'options', 'scenario-file', 'type control', 'control/verb.ts', 'control/verbs.ts'],
      ...['junit.ts', 'world/random.ts', 'node-http.ts'],
    ],
    packages: [
      ...['node:crypto', 'node:fs/promises', 'type node:http', 'node:https', 'node:net', 'node:path'],
      ...['node:stream/consumers', 'node:timers/promises', 'node:util'],
    ],
  },
  gauntlet: {
    folders: [
      ...['options', 'type conduct', 'contract', 'type control', 'type scenario-file', 'junit.ts'],
      'world',
    ],
    packages: ['zod', 'node:child_process', 'node:events', 'node:fs', 'node:net', 'node:os', 'node:path'],
  },
  learn: {
    folders: ['contract', 'type player', 'type scenario-file'],
    packages: ['node:crypto'],
  },
  shadow: {
    folders: ['contract', 'learn', 'player/compare-sides.ts', 'type player', 'node-http.ts'],
    packages: [
      ...['node:events', 'type node:http', 'node:https', 'node:net', 'node:stream/consumers'],
      ...['node:stream/promises', 'node:zlib'],
    ],
  },
  pages: { folders: ['contract'], packages: ['hono', 'node:crypto'] },
  buyer: {
    folders: ['contract', 'domain', 'operations', 'environments', 'store', 'pages'],
    packages: ['hono'],
  },
  control: {
    folders: [
      ...[
        'contract',
        'conduct',
        'store',
        'agenda',
        'webhooks',
        'behaviors',
        'scenario-file',
        'recorder',
        'operations',
        'gate',
        'environments',
        'buyer',
        'options',
        'world',
        'lazy-part.ts',
      ],
      'http/body.ts',
      'type http/v1.ts',
      'package.ts',
      'type sandbox',
    ],
    packages: ['hono', 'zod', 'yaml', 'node:crypto', 'node:fs/promises', 'node:net', 'node:os'],
  },
  dashboard: {
    folders: [
      ...[
        'contract',
        'type conduct',
        'type shadow',
        'domain',
        'operations',
        'behaviors',
        'recorder',
        'scenario-file',
        'environments',
        'control',
        'pages',
        'options',
        'player/pairing.ts',
        'player/time-order.ts',
        'world',
        'package.ts',
      ],
    ],
    packages: ['hono', 'zod', 'node:crypto', 'node:fs/promises', 'node:url'],
  },
  mcp: {
    folders: ['contract', 'control', 'options', 'package.ts'],
    packages: ['zod', '@modelcontextprotocol/server', 'node:fs', 'node:fs/promises'],
  },
  'report-page': {
    folders: ['contract', 'dashboard', 'pages', 'type control', 'type shadow', 'player/result.ts'],
    packages: ['hono'],
  },
  http: {
    folders: ['contract', 'operations', 'gate', 'lazy-part.ts', 'node-http.ts'],
    packages: [
      ...[
        'hono',
        '@hono/node-server',
        'zod',
        'selfsigned',
        'node:crypto',
        'node:events',
        'node:fs',
        'type node:http',
      ],
      ...['node:http2', 'node:net', 'node:os', 'type node:tls'],
    ],
  },
  sandbox: {
    folders: [
      ...[
        'contract',
        'world',
        'store',
        'environments',
        'options',
        'operations',
        'gate',
        'webhooks',
        'agenda',
      ],
      ...['behaviors', 'control/lazy-control.ts', 'type log.ts'],
    ],
    packages: ['node:util'],
  },
  simulator: {
    folders: [
      ...['contract', 'world', 'store', 'environments', 'options', 'gate', 'behaviors', 'control', 'http'],
      ...[
        'sandbox',
        'buyer',
        'dashboard',
        'mcp',
        'player',
        'type shadow',
        'lazy-part.ts',
        'log.ts',
        'package.ts',
      ],
    ],
    packages: ['node:events', 'node:fs', 'node:path', 'node:util', 'node:worker_threads'],
  },
  commands: everything,
  'main.ts': { folders: ['compile-cache.ts', 'commands/command-line.ts'], packages: [] },
  'simulator-thread.ts': { folders: ['compile-cache.ts', 'simulator/in-thread.ts'], packages: [] },
  'index.ts': everything,
  'vitest.ts': everything,
  'control-client.ts': {
    folders: ['contract', 'control', 'type options', 'scenario-file', 'world/random.ts'],
    packages: [],
  },
  'testcontainers.ts': { folders: ['control-client.ts'], packages: [] },
  'compile-cache.ts': { folders: [], packages: ['node:module'] },
  'junit.ts': { folders: [], packages: [] },
  'lazy-part.ts': { folders: ['store/storage-failure.ts'], packages: ['node:fs', 'node:os'] },
  'log.ts': { folders: ['contract', 'type options', 'world'], packages: [] },
  'node-http.ts': { folders: [], packages: ['node:http', 'node:module'] },
  'package.ts': { folders: [], packages: ['node:fs'] },
}

interface Word {
  what: string
  word: RegExp
  /** The one place where it may be written. */
  place: RegExp
  instead: string
}

const WORDS: readonly Word[] = [
  {
    what: 'the time of the machine',
    word: /\bDate\.now\b|\bnew Date\(\)|\bperformance\.(now|timeOrigin)\b/,
    place: /^src\/(world\/clock|player\/timing|dashboard\/browser\/[a-z-]+)\.ts$/,
    instead: 'ask the clock that was handed to you, or stopwatch() and wallClock() of world/clock.ts',
  },
  {
    what: 'timers',
    word: /\bset(Timeout|Interval)\b/,
    place: /^src\/(world\/clock|player\/timing|dashboard\/browser\/[a-z-]+|compile-cache)\.ts$/,
    instead: 'leave later work on the agenda, or set an alarm on the clock',
  },
  {
    what: 'chance',
    word: /\bMath\.random\b|\brandom(Bytes|UUID|Int)\b/,
    place: /^src\/(world\/random|player\/variables)\.ts$/,
    instead: 'draw from the generator that was handed to you, or ask ids for an id',
  },
  {
    what: 'SQL',
    word: /\b(SELECT|INSERT INTO|DELETE FROM|CREATE (TABLE|INDEX)|PRAGMA)\b|\bUPDATE \w+ SET\b/,
    place: /^src\/store\//,
    instead: 'give the store file of that resource a function that says what you want to know',
  },
  {
    what: 'refusals without a name',
    word: /\bnew ApiError\b/,
    // What a simulator somewhere else has refused is thrown again as it was.
    place: /^src\/(contract\/errors|control\/remote-call)\.ts$/,
    instead: 'throw one of the named refusals of contract/errors.ts, or add one there',
  },
  {
    what: 'statuses in the domain',
    word: /\b[45]\d\d\b/,
    place: /^src\/(?!domain\/)/,
    instead: 'throw a refusal by its name; which number it has is a matter of contract/errors.ts',
  },
  {
    what: 'output',
    word: /\bconsole\./,
    // A test runner shows what is written there beside the test that it belongs to.
    place: /^src\/vitest\.ts$/,
    instead: 'use the log that was handed to you; a command writes to process.stdout',
  },
  {
    what: 'the environment',
    word: /\bprocess\.env\b/,
    place: /^src\/commands\//,
    instead: 'make it an option in options/, which the command reads from its flag and its variable alike',
  },
  {
    what: 'choices by environment',
    word: /[!=]== '(staging|production)'/,
    place: /^src\/((environments|dashboard|commands|simulator)\/|(control-client|vitest)\.ts$)/,
    instead: 'ask the rules that the sandbox was given, or add one to environments/rules.ts',
  },
  {
    what: 'calls to others',
    word: /\bawait fetch\(/,
    // The client of the tester's side runs in the tester's process, and calling is what it is for. A script runs in a browser.
    place: /^src\/(webhooks\/send|control\/remote-call|(buyer|dashboard)\/browser\/[a-z-]+)\.ts$/,
    instead: 'leave a delivery: nothing but a webhook leaves this process',
  },
]

const WORDS_OF_TESTS: readonly Word[] = [
  {
    what: 'sleeping',
    word: /\bset(Timeout|Interval)\b|timers\/promises/,
    place: /^test\/(contract\/platform\.ts$|bench\/)/,
    instead: 'wait for what you wait for: a frozen clock that is moved, a gate, a promise',
  },
  {
    what: 'mocks and borrowed clocks',
    word: /\bvi\.(mock|doMock|fn|stubGlobal|useFakeTimers|setSystemTime)\b|\bvi\.spyOn\((?!process\b)/,
    place: /^$/,
    instead: 'hand the code another world, or start a simulator with a clock that stands still',
  },
  {
    what: 'tests that keep others from running',
    word: /\b(test|it|describe)\.(only|todo|skip)\(/,
    place: /^$/,
    instead: 'finish it, or take it out',
  },
]

/** Names that say nothing of what is in the file. */
const EMPTY_NAMES = /\b(utils?|helpers?|common|types|misc|manager|service)\b/

interface Source {
  /** From the root, with slashes. */
  path: string
  lines: readonly string[]
}

const read = (folder: string): readonly Source[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path) && !/node_modules|built/.test(path))
    .map((path) => `${folder}/${path.split(sep).join('/')}`)
    .sort()
    .map((path) => ({ path, lines: withoutComments(readFileSync(join(root, path), 'utf8')).split('\n') }))

const sources = read('src')
const tests = read('test').filter(({ path }) => !import.meta.filename.endsWith(path))

/** Comments may speak of what the code must not do; every line stays where it is. */
function withoutComments(text: string): string {
  return text
    .replaceAll(/\/\*[\s\S]*?\*\//g, (comment) => comment.replaceAll(/[^\n]/g, ' '))
    .replaceAll(/(^|\s)\/\/.*$/gm, '$1')
}

interface Import {
  path: string
  line: number
  /** A file, by its path under src, or a package. */
  what: string
  isOurs: boolean
  typesOnly: boolean
}

/** Matches `import … from '…'`, `export … from '…'`, `import '…'` and `import('…')`, over several lines. */
const IMPORT =
  /(?:^|\n)(?:import|export)\s+(type\s)?(?:([^'"();=]*?)\sfrom\s+)?'([^']+)'|\bimport\('([^']+)'\)/g

function importsOf({ path, lines }: Source): Import[] {
  const text = lines.join('\n')
  return [...text.matchAll(IMPORT)].map((match) => {
    const [, type, names = '', from, dynamic] = match
    const target = (from ?? dynamic)!
    const isOurs = target.startsWith('.')
    const internals = isOurs
      ? relative(join(root, 'src'), join(root, path, '..', target))
          .split(sep)
          .join('/')
      : target
    const named = names
      .match(/\{([\s\S]*)\}/)?.[1]
      ?.split(',')
      .filter((name) => name.trim() !== '')
    return {
      path,
      line: text.slice(0, match.index + match[0].length).split('\n').length,
      what: isOurs ? internals : target,
      isOurs,
      typesOnly: Boolean(type) || Boolean(named?.length && named.every((name) => /^\s*type\s/.test(name))),
    }
  })
}

/** Matches `export const NAME`, `export async function NAME`, `export interface NAME` and the like. */
const EXPORTED =
  /^export (?:declare |abstract |async )*(?:const|let|class|enum|function\*?|interface|type) ([\w$]+)/gm

const folderOf = (path: string) => path.split('/')[1]!

/** `node:*` allows every module of Node's, `hono` also its parts, `store` every file in it. */
function isAllowed({ what, typesOnly }: Import, allowed: readonly string[]): boolean {
  return allowed.some((entry) => {
    const name = entry.replace(/^type /, '')
    const matches =
      name === '*' || name === what || what.startsWith(name.endsWith('*') ? name.slice(0, -1) : `${name}/`)
    return matches && (typesOnly || name === entry)
  })
}

describe('who may import whom', () => {
  test.for(sources.map(({ path }) => path))('%s', (path) => {
    const folder = folderOf(path)
    const row = TABLE[folder]
    expect(row, `${path}: src/${folder} has no row in the table; say there what it may import`).toBeDefined()
    const { folders, packages } = row!
    const refused = importsOf(sources.find((source) => source.path === path)!)
      .filter(({ what }) => what.split('/')[0] !== folder && !what.startsWith('..'))
      .filter((one) => !isAllowed(one, one.isOurs ? folders : packages))
      .map(
        ({ line, what, typesOnly }) =>
          `${path}:${line} imports ${typesOnly ? 'types of ' : ''}${what}; ${folder} may import ${written(row!)}`,
      )
    expect(refused).toEqual([])
  })

  test('the table has no row for what is not there', () => {
    const folders = new Set(sources.map(({ path }) => folderOf(path)))
    expect(Object.keys(TABLE).filter((name) => !folders.has(name))).toEqual([])
  })
})

const written = ({ folders, packages }: MayImport) =>
  `${folders.join(', ') || 'no folder'}, and of packages ${packages.join(', ') || 'none'}`

describe('words that have their one place', () => {
  test.for(WORDS)('$what', (word) => expect(misplaced(word, sources)).toEqual([]))
})

describe('words that no test needs', () => {
  test.for(WORDS_OF_TESTS)('$what', (word) => expect(misplaced(word, tests)).toEqual([]))
})

const misplaced = ({ word, place, instead }: Word, among: readonly Source[]): string[] =>
  among
    .filter(({ path }) => !place.test(path))
    .flatMap(({ path, lines }) =>
      lines.flatMap((line, index) => {
        const found = word.exec(line)?.[0]
        return found ? [`${path}:${index + 1} says ${found}; ${instead}`] : []
      }),
    )

describe('names', () => {
  test('of files are in kebab-case and say what is in them', () => {
    const found = sources
      .map(({ path }) => path)
      .filter((path) => !/^src(\/[a-z0-9]+(-[a-z0-9]+)*)+(\.d)?\.tsx?$/.test(path) || EMPTY_NAMES.test(path))
      .map(
        (path) => `${path} has a name that is not in kebab-case or says nothing; name it after what it holds`,
      )
    expect(found).toEqual([])
  })

  // A schema and the type that it yields share a name and a file; index.ts hands a name on from the file that it loads late.
  test('that are exported mean one thing: each is declared in one file', () => {
    const declaredIn = new Map<string, Set<string>>()
    for (const { path, lines } of sources.filter(({ path }) => path !== 'src/index.ts')) {
      for (const [, name] of lines.join('\n').matchAll(EXPORTED)) {
        declaredIn.set(name!, (declaredIn.get(name!) ?? new Set()).add(path))
      }
    }
    expect(declaredIn.size).toBeGreaterThan(100)
    const twice = [...declaredIn]
      .filter(([, paths]) => paths.size > 1)
      .map(([name, paths]) => `${name} is declared in ${[...paths].join(' and ')}; give each its own name`)
    expect(twice).toEqual([])
  })
})
