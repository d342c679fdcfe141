/** Style sheets are global, so a test holds what keeps them apart: a class has one file, and every class is used. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const PAGES = join(import.meta.dirname, '../../src/pages')
const STYLES = [
  'pages.css',
  ...readdirSync(join(PAGES, 'dashboard/styles')).map((name) => `dashboard/styles/${name}`),
]

/** The parts of the frame. A rule that begins with one is stronger than that of all pages, on purpose. */
const FRAME = ['dash', 'deck', 'in-production']

/** The selectors of a style sheet, each alone, without what is nested in at-rules being lost. */
const selectorsIn = (file: string): string[] =>
  [
    ...readFileSync(join(PAGES, file), 'utf8')
      .replace(/\/\*[\s\S]*?\*\//g, '')
      .matchAll(/([^{};]+)\{/g),
  ].flatMap(([, selectors]) => {
    const text = selectors!.trim()
    return text.startsWith('@') ? [] : text.split(/,(?![^(]*\))/).map((one) => one.trim())
  })

const classesOf = (text: string) => [...text.matchAll(/\.([a-z][\w-]*)/gi)].map(([, name]) => name!)

test('the first class of a rule, whose part of a page it styles, belongs to one file', () => {
  const filesOf = new Map<string, Set<string>>()
  for (const file of STYLES)
    for (const selector of selectorsIn(file)) {
      const [first, second] = classesOf(selector)
      const own = !FRAME.includes(first ?? '') ? first : second && `${first} .${second}`
      // A list of several shares what they have in common.
      if (own === undefined || /^:(is|where)\(/.test(selector)) continue
      filesOf.set(own, (filesOf.get(own) ?? new Set()).add(file))
    }
  expect(filesOf.size).toBeGreaterThan(100)
  const shared = [...filesOf].filter(([, files]) => files.size > 1)
  expect(shared.map(([name, files]) => `.${name}: ${[...files].join(', ')}`)).toEqual([])
})

test('in dashboard and reports only money that is wrong is red', () => {
  const red = STYLES.slice(1)
    .concat('../tools/checks/report.css')
    .flatMap((file) => [...readFileSync(join(PAGES, file), 'utf8').matchAll(/([^{};]+)\{([^{}]*)\}/g)])
    .filter(([, , style]) => style!.includes('var(--bad'))
    .flatMap(([, selectors]) => selectors!.split(','))
  expect(red.length).toBeGreaterThan(3)
  expect(red.filter((selector) => !/\.(bad|doubled)\b/.test(selector))).toEqual([])
})

/** Classes that a value gives, by the file in which that value stands. */
const GIVEN = {
  'dashboard/json-text.tsx': ['json-name', 'json-number', 'json-word'],
  'dashboard/state-tones.ts': ['over'],
  'dashboard/blocks.tsx': ['open'],
  'dashboard/orders.tsx': ['warn'],
  'dashboard/heat-strip.tsx': ['failing'],
  'dashboard/timeline.tsx': ['door', 'damaged', 'not-run', 'replayed'],
  'dashboard/timeline-rows.ts': ['first', 'stop', 'last', 'refused', 'doubled'],
  '../service/store/outbox.ts': ['sms'],
}

/** What the attributes `class` and `look` are given, in a page or as the property of a column. */
function* classesGivenIn(source: string) {
  const given = source.matchAll(/\b(?:class|look)(?:=|: | = )(?:"([^"]*)"|\{((?:[^{}]|\{[^{}]*\})*)\}|(.*))/g)
  for (const [, text, expression, line] of given) {
    const code = expression ?? line ?? ''
    const quoted = [...code.matchAll(/'([^']*)'/g)].map(([, words]) => words!)
    const templates = [...code.matchAll(/`([^`]*)`/g)].map(([, words]) => words!.replace(/\$\{[^}]*\}/g, ' '))
    yield* [text ?? '', ...quoted, ...templates].join(' ').match(/[a-z][\w-]*/gi) ?? []
  }
}

test('every class that is styled is on a page', () => {
  const sources = [PAGES, join(PAGES, '../spec/environments')].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name))
      .map((name) => readFileSync(join(folder, name), 'utf8')),
  )
  const used = new Set(sources.flatMap((source) => [...classesGivenIn(source)]))
  for (const [file, names] of Object.entries(GIVEN)) {
    const source = readFileSync(join(PAGES, file), 'utf8')
    const there = names.filter((name) => source.includes(`'${name.replace('json-', '')}'`))
    for (const name of there) used.add(name)
  }
  const styled = new Set(STYLES.flatMap(selectorsIn).flatMap(classesOf))
  expect([...styled].filter((name) => !used.has(name))).toEqual([])
})
