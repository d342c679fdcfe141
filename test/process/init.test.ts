/** `paysim init` in unusual folders. */
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { folder } from '../given.ts'
import { workflowMistakes } from '../workflow-mistakes.ts'
import { runPaysim } from './paysim.ts'

const NAMES = [
  ...[
    'a: b',
    '*x',
    '&x',
    '!x',
    '%x',
    '@x',
    '`x',
    '|',
    '>',
    '- x',
    '? x',
    '[x',
    '{x}',
    ', x',
    '# x',
    'a #b',
    '"x',
    "'x",
  ],
  ...[
    'null',
    'true',
    '1e3',
    '~',
    'a\nb',
    'a\\b',
    ' x ',
    '${{ github.token }}',
    'ü\u0085x',
    'a\tb',
    '2026-01-01',
    '=',
  ],
]

const init = (at: string) => runPaysim(['init'], {}, at)

test('any folder name produces a valid workflow', async () => {
  for (const name of NAMES) {
    const repository = folder()
    mkdirSync(join(repository, '.git'))
    mkdirSync(join(repository, name))
    writeFileSync(join(repository, name, 'package.json'), '{}')
    const { code, stderr } = await init(join(repository, name))
    expect(code, stderr).toBe(0)
    const workflow = readFileSync(join(repository, '.github/workflows/paysim.yaml'), 'utf8')
    const at = parse(workflow).jobs.paysim.defaults.run['working-directory']
    expect(at).toBe(name.replace('${{', "${{ '${{' }}"))
    if (/^(null|\$|a\n)/.test(name)) expect(await workflowMistakes(workflow)).toEqual([])
  }
})

test.each([
  ['null', 'package.json is not a JSON object.\n'],
  ['[]', 'package.json is not a JSON object.\n'],
  ['{"dependencies":{"paysim":5}}', ''],
  ['{"dependencies":null,"devDependencies":"paysim","paysim":5}', ''],
  ['\ufeff{"devDependencies":{"vitest":"*"}}', ''],
])('handles %s as package.json', async (manifest, refusal) => {
  const at = folder({ 'package.json': manifest })
  const { code, stderr } = await init(at)
  expect([code, stderr]).toEqual([refusal === '' ? 0 : 2, refusal])
  if (refusal !== '') expect(readdirSync(at)).toEqual(['package.json'])
})

test.each([
  ['a file', (path: string) => writeFileSync(path, '')],
  ['a link that leads nowhere', (path: string) => symlinkSync('nowhere', path)],
])('writes nothing if scenarios is %s', async (_, make) => {
  const at = folder({ 'package.json': '{}' })
  make(join(at, 'scenarios'))
  const { code, stdout, stderr } = await init(at)
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toBe('scenarios must be a folder, but is a file. Nothing was written.\n')
  expect(existsSync(join(at, 'paysim.yaml'))).toBe(false)
})
