/** The rows of all commands: a variable sets one option, every option has a heading, and the resolved options are one object. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commandOptions } from '../../src/spec/options/option.ts'
import { resolveOptions } from '../../src/spec/options/read.ts'
import { typedCommand, typedWords } from '../../src/spec/typed.ts'
import type { CommandRow } from '../../src/tools/options/command-row.ts'
import { COMMANDS } from '../../src/tools/options/commands.ts'
import { folder as temporaryFolder } from '../given.ts'

const ROWS = Object.entries(COMMANDS) as [keyof typeof COMMANDS, CommandRow][]

/** A word of a shell command; quotes keep it together. */
const wordsOf = (typed: string) =>
  [...typed.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!)

test.each([
  ['/shop/node_modules/.bin/paysim', 'npx paysim'],
  ['C:\\shop\\node_modules\\.bin\\paysim', 'npx paysim'],
  ['/usr/local/bin/paysim', 'paysim'],
])('a command started as %s is printed as %s', (started, typed) => {
  expect(typedCommand(started)).toBe(typed)
})

test.each([
  [
    'file:../../my files/paysim-0.1.0.tgz',
    (folder: string) => `npx -p '${join(folder, 'my files/paysim-0.1.0.tgz')}' paysim`,
  ],
  ['^0.1.0', () => 'npx paysim'],
])('a command run by npx from %s is printed with it', (paysim, typed) => {
  const folder = temporaryFolder()
  const cache = join(folder, '_npx/13a2')
  mkdirSync(cache, { recursive: true })
  writeFileSync(join(cache, 'package.json'), JSON.stringify({ dependencies: { paysim } }))
  expect(typedCommand(join(cache, 'node_modules/.bin/paysim'))).toBe(typed(folder))
})

test.runIf(process.platform !== 'win32')('a printed command has the necessary quotes', () => {
  const words = ['sh', '-c', "PAY=$PAYSIM_URL/v1 npm test -- --grep 'a b'", '--x=1', 'tests/*.js']
  const line = typedWords(words)
  expect(line).toMatch(/^sh -c 'PAY=/)
  expect(execFileSync('sh', ['-c', `printf '%s\\n' ${line}`], { encoding: 'utf8' })).toBe(
    `${words.join('\n')}\n`,
  )
})

describe.each(ROWS)('%s', (name, row) => {
  const options = commandOptions(row.options, name)

  test('has each flag and variable once', () => {
    for (const key of ['flag', 'name'] as const)
      expect(new Set(options.map((option) => option[key])).size).toBe(options.length)
    const variables = options.map(({ env }) => env).filter((env) => env !== '')
    expect(new Set(variables).size).toBe(variables.length)
  })

  test('has each flag under a heading, or none', () => {
    const flags = options.filter(({ argument, hidden }) => !argument && !hidden)
    const headings = flags.filter(({ group }) => group !== undefined)
    expect(['start', 'run', 'gauntlet'].includes(name) ? flags : []).toEqual(headings)
  })

  test('has two examples, of options that it has', () => {
    expect(row.examples).toHaveLength(2)
    for (const [typed] of row.examples) {
      const [program, command, ...words] = wordsOf(typed.replace(/^source <\((.*)\)$/, '$1'))
      expect([program, command]).toEqual(['paysim', name])
      const argv = words.includes('--') ? words.slice(0, words.indexOf('--')) : words
      const flags = argv.filter((word) => word.startsWith('--'))
      for (const flag of flags) expect(options.map((option) => option.flag)).toContain(flag)
    }
  })
})

test.each([
  ['http://127.0.0.1:4100/v1', 'http://127.0.0.1:4100'],
  ['https://staging.payments.example/pay/v1/', 'https://staging.payments.example/pay'],
  ['http://v1', 'http://v1'],
])('--target %s is %s for each command', (target, address) => {
  const targeted = ROWS.filter(([name, row]) =>
    commandOptions(row.options, name).some(({ flag }) => flag === '--target'),
  )
  expect(targeted.length).toBeGreaterThan(6)
  for (const [name, row] of targeted)
    expect(resolveOptions(name, { target: row.options.target! }, { flags: { target }, env: {} })).toEqual({
      target: address,
    })
})

test('a variable sets the same option in all commands that read it', () => {
  const keys = new Map<string, Set<string>>()
  for (const [name, row] of ROWS)
    for (const { env, path } of commandOptions(row.options, name))
      if (env !== '') keys.set(env, (keys.get(env) ?? new Set()).add(path.join('.')))
  expect([...keys].filter(([, names]) => names.size > 1)).toEqual([])
})

describe('resolved options', () => {
  test('take the flag before the variable, and the variable before the file', () => {
    const settings = ({ name }: { name: string }) =>
      name === 'timeout' ? { name: 'paysim.yaml:1:8: exec.timeout', value: '1m' } : undefined
    const all = { flags: { command: ['npm', 'test'] }, env: {}, settings }
    const limitOf = (more: object) =>
      resolveOptions('exec', COMMANDS.exec.options, { ...all, ...more }).timeout
    expect(limitOf({})).toBe(60_000)
    expect(limitOf({ env: { PAYSIM_EXEC_TIMEOUT: '2m' } })).toBe(120_000)
    expect(limitOf({ flags: { command: ['x'], timeout: '3m' }, env: { PAYSIM_EXEC_TIMEOUT: '2m' } })).toBe(
      180_000,
    )
  })

  test('split a list in a variable at its commas, but not a path in a flag', () => {
    const place = temporaryFolder()
    const [first, second, both] = ['a.yaml', 'b.yaml', 'a,b.yaml'].map((name) => join(place, name)) as [
      string,
      string,
      string,
    ]
    for (const path of [first, second, both]) writeFileSync(path, '')
    const troubles = (trouble: string[] | undefined, env: Record<string, string>) =>
      resolveOptions('gauntlet', COMMANDS.gauntlet.options, { flags: { command: ['x'], trouble }, env })
        .trouble
    expect(troubles(undefined, { PAYSIM_GAUNTLET_TROUBLE: `${first},${second}` })).toEqual([first, second])
    expect(troubles([both], {})).toEqual([both])
  })
})
