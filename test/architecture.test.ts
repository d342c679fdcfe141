/** Enforces the order of wings and rooms (which may import which), and which calls only certain files may make. */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join, relative, sep } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')

interface Wing {
  /** The npm packages that the wing may import. Node's modules are free, except those of `LIMITED_MODULES`. */
  packages: readonly string[]
  /** From the inside out: a room imports only the rooms before it. */
  rooms: readonly string[]
}

/** From left to right: a wing imports itself and the wings before it. */
const WINGS: Record<string, Wing> = {
  spec: { packages: ['zod', 'nanoid'], rooms: ['contract', 'world', 'environments', 'options'] },
  service: {
    packages: ['zod', 'better-sqlite3'],
    rooms: [...['domain', 'store', 'environments', 'operations', 'door', 'webhooks', 'agenda'], 'buyer-flow'],
  },
  sandbox: { packages: ['zod', 'yaml', 're2js'], rooms: ['scenario-file', 'behaviors'] },
  tester: {
    packages: ['zod', 'yaml', 'hono', '@modelcontextprotocol/server'],
    rooms: ['alike', 'audit', 'story', 'recorder', 'control', 'mcp'],
  },
  pages: { packages: ['zod', 'hono', 'open-props', 'idiomorph'], rooms: ['buyer', 'dashboard'] },
  server: {
    packages: ['zod', 'hono', '@hono/node-server', 'selfsigned'],
    rooms: ['http', 'simulator'],
  },
  tools: {
    packages: ['zod', 'yaml', 'hono', 'commander', '@modelcontextprotocol/server'],
    rooms: [
      ...['options', 'checks', 'player', 'gauntlet', 'in-tests', 'grade', 'fidelity', 'init'],
      'commands',
    ],
  },
}

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  exports: Record<string, string | { import: { default: string } }>
  bin: Record<string, string>
}

/** The entry points of package.json, built from src/NAME.ts. They assemble the wings, so no wing imports them. */
const STARTED_OR_OFFERED = [
  ...Object.values(manifest.exports).flatMap((entry) =>
    typeof entry === 'string' ? [] : entry.import.default,
  ),
  ...Object.values(manifest.bin),
].map((file) => basename(file).replace(/c?js$/, 'ts'))

/** Node modules that reach outside the process, and packages that a user may not have, each with the files that may import it. */
const LIMITED_MODULES: Record<string, RegExp> = {
  vitest: /^tools\/in-tests\/use-sandbox\.ts$/,
  testcontainers: /^tools\/in-tests\/paysim-container\.ts$/,
  'node:child_process': /^tools\//,
  'node:worker_threads': /^(server|tools)\//,
  'node:http2': /^server\//,
}

interface Word {
  what: string
  word: RegExp
  /** The only file that may contain the word. */
  place: RegExp
  instead: string
}

const WORDS: readonly Word[] = [
  {
    what: 'the time of the machine',
    word: /\bDate\.now\b|\bnew Date\(\)|\bperformance\.(now|timeOrigin)\b/,
    place: /^src\/(spec\/world\/clock|pages\/dashboard\/browser\/[a-z-]+)\.ts$/,
    instead: 'ask the clock that was handed to you, or stopwatch() and wallClock() of world/clock.ts',
  },
  {
    what: 'timers',
    word: /\bset(Timeout|Interval)\b/,
    place: /^src\/(spec\/world\/clock|pages\/dashboard\/browser\/[a-z-]+)\.ts$/,
    instead: 'leave later work on the agenda, or set an alarm on the clock',
  },
  {
    what: 'chance',
    word: /\bMath\.random\b|\brandom(Bytes|UUID|Int)\b/,
    place: /^src\/(spec\/world\/(random|unique-name)|tools\/player\/variables)\.ts$/,
    instead: 'draw from the generator that was handed to you, or ask ids for an id',
  },
  {
    what: 'SQL',
    word: /\b(SELECT|INSERT INTO|DELETE FROM|CREATE (TABLE|INDEX)|PRAGMA)\b|\bUPDATE \w+ SET\b/,
    place: /^src\/service\/store\//,
    instead: 'give the store file of that resource a function that says what you want to know',
  },
  {
    what: 'refusals without a name',
    word: /\bnew ApiError\b/,
    // remote-call rethrows the error that a remote simulator returned.
    place: /^src\/(spec\/contract\/errors|tester\/control\/remote-call)\.ts$/,
    instead: 'throw one of the named refusals of contract/errors.ts, or add one there',
  },
  {
    what: 'statuses in the domain',
    word: /\b[45]\d\d\b/,
    place: /^src\/(?!service\/domain\/)/,
    instead: 'throw a refusal by its name; which number it has is a matter of contract/errors.ts',
  },
  {
    what: 'output',
    word: /\bconsole\./,
    // The Vitest entry prints to the console, which the test runner shows next to the test.
    place: /^src\/tools\/in-tests\/use-sandbox\.ts$/,
    instead: 'use the log that was handed to you; a command writes to process.stdout',
  },
  {
    what: 'the environment',
    word: /\bprocess\.env\b/,
    // A gauntlet run reaches the tests that it started only through their environment.
    place: /^src\/tools\/(commands\/|gauntlet\/run-folder\.ts$)/,
    instead: 'make it an option in options/, which the command reads from its flag and its variable alike',
  },
  {
    what: 'choices by environment',
    word: /[!=]== '(staging|production)'/,
    place:
      /^src\/((spec|service)\/environments\/|pages\/dashboard\/|tools\/(commands|in-tests)\/|server\/simulator\/)/,
    instead: 'ask the rules that the sandbox was given, or add one to environments/rules.ts',
  },
  {
    what: 'a path cut out of a file: URL',
    // On Windows the path starts with a slash before the drive, and on every system a space is %20.
    word: /import\.meta\.url\)\.pathname|PACKAGE_ROOT\)?\.pathname|new URL\([^()]*import\.meta\.\w+\)\.pathname/,
    place: /^$/,
    instead: 'use fileURLToPath',
  },
  {
    what: 'signals to this process itself',
    // On Windows a signal ends the process before it has closed anything.
    word: /\bprocess\.kill\(process\.pid\b/,
    place: /^src\/tools\/commands\/lifetime\.ts$/,
    instead: 'emit the signal',
  },
  {
    what: 'calls to others',
    word: /\bawait fetch\(/,
    // The control client runs in the tester's process and has to call fetch; a script runs in a browser.
    place:
      /^src\/(service\/webhooks\/send|tester\/control\/remote-call|pages\/(buyer|dashboard)\/browser\/[a-z-]+)\.ts$/,
    instead: 'leave a delivery: nothing but a webhook, and what a stub passes on, leaves this process',
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

/** File names that do not describe the content. */
const EMPTY_NAMES = /^(utils?|helpers?|common|types|misc|manager|service)\./

interface Source {
  /** Relative to the root, with forward slashes. */
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

/** A comment may name a forbidden word. Comments are blanked, not removed, so that line numbers stay correct. */
function withoutComments(text: string): string {
  return text
    .replaceAll(/\/\*[\s\S]*?\*\//g, (comment) => comment.replaceAll(/[^\n]/g, ' '))
    .replaceAll(/(^|\s)\/\/.*$/gm, '$1')
}

interface Import {
  line: number
  /** A file by its path under src, or a package. */
  what: string
  isOurs: boolean
}

/** Matches `import … from '…'`, `export … from '…'`, `import '…'` and `import('…')`, over several lines. */
const IMPORT =
  /(?:^|\n)(?:import|export)\s+(?:type\s)?(?:[^'"();=]*?\sfrom\s+)?'([^']+)'|\bimport\('([^']+)'\)/g

function importsOf({ path, lines }: Source): Import[] {
  const text = lines.join('\n')
  return [...text.matchAll(IMPORT)].map((match) => {
    const target = (match[1] ?? match[2])!
    const isOurs = target.startsWith('.')
    return {
      line: text.slice(0, match.index + match[0].length).split('\n').length,
      what: isOurs ? underSrc(join(root, path, '..', target)) : target,
      isOurs,
    }
  })
}

const underSrc = (path: string) => relative(join(root, 'src'), path).split(sep).join('/')

/** Matches `export const NAME`, `export async function NAME`, `export interface NAME` and the like. */
const EXPORTED =
  /^export (?:declare |abstract |async )*(?:const|let|class|enum|function\*?|interface|type) ([\w$]+)/gm

const wingOf = (path: string) => path.split('/')[0]!

/** The folder within the wing; undefined for a file directly in the wing, which every room of it may import. */
const roomOf = (path: string) => (path.split('/').length > 2 ? path.split('/')[1] : undefined)

const WING_NAMES = Object.keys(WINGS)

/** Why the file may not import it; undefined if it may. Type imports count as well. */
function whyRefused(path: string, { what, isOurs }: Import): string | undefined {
  const wing = wingOf(path)
  if (!isOurs) {
    const limit = LIMITED_MODULES[what]
    if (limit) return limit.test(path) ? undefined : `only ${limit} may use it`
    const isAllowed = ({ packages }: Wing) =>
      what.startsWith('node:') || packages.some((name) => what === name || what.startsWith(`${name}/`))
    return isAllowed(WINGS[wing]!) ? undefined : `${wing} may import ${WINGS[wing]!.packages.join(', ')}`
  }
  if (what.startsWith('..')) return undefined
  const theirs = wingOf(what)
  if (theirs !== wing) {
    const before = WING_NAMES.slice(0, WING_NAMES.indexOf(wing))
    return before.includes(theirs) ? undefined : `${wing} may import ${before.join(', ') || 'no other wing'}`
  }
  const [room, their] = [roomOf(path), roomOf(what)]
  if (room === their || their === undefined || room === undefined) return undefined
  const { rooms } = WINGS[wing]!
  return rooms.indexOf(their) < rooms.indexOf(room) ? undefined : `${wing}/${their} lies outside of ${room}`
}

const inWings = sources.filter(({ path }) => path.split('/').length > 2)

describe('imports between wings', () => {
  test.for(WING_NAMES)('%s', (wing) => {
    const refused = inWings.flatMap((source) => {
      const path = source.path.slice('src/'.length)
      if (wingOf(path) !== wing) return []
      return importsOf(source).flatMap((imported) => {
        const why = whyRefused(path, imported)
        return why === undefined ? [] : [`${source.path}:${imported.line} imports ${imported.what}: ${why}`]
      })
    })
    expect(refused).toEqual([])
  })

  test('the wings and rooms on disk match the table', () => {
    const folders = (depth: number) =>
      new Set(
        inWings.flatMap(({ path }) => {
          const parts = path.split('/').slice(1, -1)
          return parts.length < depth ? [] : [parts.slice(0, depth).join('/')]
        }),
      )
    expect(folders(1)).toEqual(new Set(WING_NAMES))
    const rooms = WING_NAMES.flatMap((wing) => WINGS[wing]!.rooms.map((room) => `${wing}/${room}`))
    expect(folders(2)).toEqual(new Set(rooms))
  })

  test('outside the wings there are only entry points', () => {
    const beside = sources.map(({ path }) => path.split('/').slice(1)).filter(({ length }) => length === 1)
    expect(beside.flat().sort()).toEqual(STARTED_OR_OFFERED.toSorted())
  })

  test('no file imports itself in a circle, not even for types', () => {
    const files = new Map(
      sources.map((source) => [
        source.path.slice('src/'.length),
        importsOf(source)
          .filter(({ isOurs }) => isOurs)
          .map(({ what }) => what),
      ]),
    )
    expect(circlesIn(files)).toEqual([])
  })
})

/** One circle for each file that its own imports lead back to. */
function circlesIn(files: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>()
  const found: string[] = []
  const walk = (path: string, way: readonly string[]) => {
    if (way.includes(path)) found.push([...way.slice(way.indexOf(path)), path].join(' → '))
    if (done.has(path)) return
    done.add(path)
    for (const next of files.get(path) ?? []) walk(next, [...way, path])
  }
  for (const path of files.keys()) walk(path, [])
  return found
}

describe('words that belong in one place', () => {
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
  test('of files are in kebab-case and describe the content', () => {
    const found = sources
      .map(({ path }) => path)
      .filter(
        (path) =>
          !/^src(\/[a-z0-9]+(-[a-z0-9]+)*)+(\.d)?\.tsx?$/.test(path) || EMPTY_NAMES.test(basename(path)),
      )
      .map(
        (path) => `${path} has a name that is not in kebab-case or says nothing; name it after what it holds`,
      )
    expect(found).toEqual([])
  })

  // A schema and its inferred type share a name and a file; index.ts re-exports names of files that it loads lazily.
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
