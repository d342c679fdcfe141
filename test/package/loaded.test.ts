/** What the built command loads before it serves: each 100 KB take 4 ms of a start. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { startPaysim } from '../process/paysim.ts'

const DIST = fileURLToPath(new URL('../../dist/', import.meta.url))
const textOf = (file: string) => readFileSync(join(DIST, file), 'utf8')

/** The file and all that it imports before it runs. */
function loadedWith(file: string, loaded = new Set<string>()): Set<string> {
  if (loaded.has(file)) return loaded
  loaded.add(file)
  for (const [, next] of textOf(file).matchAll(/^(?:import|export)\b.*?"\.\/([^"]+)";$/gm))
    loadedWith(next!, loaded)
  return loaded
}

const texts = (entry: RegExp) =>
  [...loadedWith(readdirSync(DIST).find((file) => entry.test(file))!)].map(textOf).join('\n')

const YAML = '// node_modules/yaml/'
// By its name: where a file begins with a constant, the minifier may join it to the one before, and its path is gone.
const SIMULATOR = 'function buildServer('
const THREAD = './simulator-thread.js'
test.each([
  { command: /^start-.{8}\.js$/, has: SIMULATOR, hasNot: YAML },
  { command: /^lint-.{8}\.js$/, has: YAML, hasNot: SIMULATOR },
  { command: /^run-.{8}\.js$/, has: THREAD, hasNot: SIMULATOR },
  // The simulator's thread is started before the player is loaded, so that both load at the same time.
  { command: /^run-.{8}\.js$/, has: THREAD, hasNot: YAML },
])('$command loads $has and not $hasNot', ({ command, has, hasNot }) => {
  const loaded = texts(command)
  expect(loaded).toContain(has)
  expect(loaded).not.toContain(hasNot)
})

/** Rooms and files that no start needs. */
const LATER = [
  ...['src/pages/', 'src/tester/conduct/', 'src/tester/story/', 'src/tester/recorder/', 'src/tester/mcp/'],
  ...['src/tester/control/control.ts', 'src/tools/checks/', 'src/tools/player/', 'src/tools/grade/'],
  ...['src/tools/gauntlet/', 'src/tools/learn/', 'src/tools/shadow/', 'src/tools/report-page/'],
]

test('a start loads none of what only a tester, a buyer or another command asks for, and 900,000 characters in all', () => {
  const loaded = texts(/^start-.{8}\.js$/)
  const modules = [...loaded.matchAll(/^\s*\/\/ (src\/\S+)$/gm)].map(([, file]) => file!)
  expect(loaded).toContain(SIMULATOR)
  expect(LATER.filter((path) => !existsSync(join(DIST, '..', path)))).toEqual([])
  expect(modules.filter((file) => LATER.some((path) => file.startsWith(path)))).toEqual([])
  expect(loaded.length).toBeLessThan(900_000)
})

test('a start loads its code in few files, as each takes time of its own', () => {
  const files = loadedWith(readdirSync(DIST).find((file) => /^start-.{8}\.js$/.test(file))!)
  expect(files.size).toBeLessThan(12)
})

/** What is left of a name in Node's list: `NativeModule internal/deps/undici/undici`. */
const WITHOUT_ANSWERING = ['undici', 'http2', 'https', 'tls'].map(
  (part) => new RegExp(`^NativeModule .*\\b${part}\\b`),
)

const SAY_LOADED = `process.on('exit', () => console.log(process.moduleLoadList.join('\\n')))`

test('of Node, the first answer of /v1 needs neither fetch nor HTTP/2 nor TLS', async () => {
  const paysim = await startPaysim([], {
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(SAY_LOADED)}`,
  })
  const status = await new Promise((resolve, reject) => {
    const sent = get(
      `${paysim.url}/v1/checkouts`,
      { headers: { 'x-api-key': 'sk_staging_default' } },
      (answer) => resolve(answer.resume().statusCode),
    )
    sent.on('error', reject)
  })
  expect(status).toBe(200)
  const loaded = (await paysim.stop()).stdout.split('\n')
  expect(loaded).toContain('NativeModule _http_server')
  for (const name of WITHOUT_ANSWERING) expect(loaded.filter((one) => name.test(one))).toEqual([])
})
