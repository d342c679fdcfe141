/** The stilted patterns below do not return to the source, the documents, the examples and the templates. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')

const TEXTS = [
  ...['README.md', 'CONTRIBUTING.md', 'written-types.ts'],
  ...['src', 'docs', 'examples', 'templates', 'skills', 'scenarios'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.(tsx?|js|md|py|sh|yaml|java|go)$/.test(path))
      .map((path) => join(folder, path)),
  ),
]

test.each([
  [
    'is not JSON',
    /(?<!\b[Tt]here )\b(is|are|was) no (JSON|paysim|endpoint|number|value of|address of|file on)\b/,
  ],
  ['default: X', /(?<=["'`*/] ?)Left out, |[;,] left out, (?!with\b|it is)/],
  ['if nothing', /\bWhere (nothing|nobody|something) /],
  ['as received', /\bas (it|they) came\b/],
  ['unchanged', /\bas (it|they) stands?\b/],
  ['is reported, is called', /\b(is|are) told\b/],
  ['is next to', /\bstands? beside\b/],
  ['recreated, new each time', /\bmade anew\b/],
  ['in flight', /\b(is|are|was|were|still) under way\b/],
  ['in the order of', /\bin the order in which\b/],
  ['random', /\bdrawn anew\b/],
  ['fully or in part', /\bas a whole or in part\b/],
  ['the noun again', /\b(?:the|of the) other one\b/],
])('the pattern that "%s" replaces is not used', (_, pattern) => {
  const found = TEXTS.flatMap((path) =>
    readFileSync(join(root, path), 'utf8')
      .split('\n')
      .flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1} ${line.trim()}`] : [])),
  )
  expect(found).toEqual([])
})
