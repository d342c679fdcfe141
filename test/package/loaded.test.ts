/** What the built command loads before it serves: each 100 KB take 4 ms of a start. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

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
const SIMULATOR = '// src/simulator.ts'
const THREAD = './simulator-thread.js'

test.each([
  { command: /^start-.*\.js$/, has: SIMULATOR, hasNot: YAML },
  { command: /^lint-.*\.js$/, has: YAML, hasNot: SIMULATOR },
  { command: /^run-.*\.js$/, has: THREAD, hasNot: SIMULATOR },
  // The simulator's thread is started before the player is loaded, so that both load at the same time.
  { command: /^run-.*\.js$/, has: THREAD, hasNot: YAML },
])('$command loads $has and not $hasNot', ({ command, has, hasNot }) => {
  const loaded = texts(command)
  expect(loaded).toContain(has)
  expect(loaded).not.toContain(hasNot)
})
