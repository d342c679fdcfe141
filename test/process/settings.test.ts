/** `paysim.yaml`: any option for any command, through the real command. */
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { settingsJsonSchema } from '../../src/tools/commands/settings-file.ts'
import { folder } from '../given.ts'
import { runPaysim } from './paysim.ts'

const paysimIn = (at: string, args: readonly string[], variables: Record<string, string> = {}) =>
  runPaysim(args, variables, at)

const project = (settings: string) => folder({ 'package.json': '{}', 'paysim.yaml': settings })

const SCENARIO = 'name: It is there\nsteps:\n  - { call: GET /v1/checkouts, expect: { status: 200 } }\n'

test('all mistakes are reported at the same time, with line, column and the nearest word', async () => {
  const at = project(
    'port: 0\nratelimit: off\ngauntlet:\n  jobs: many\n  reports: { junit: a.xml, xml: b }\naudit: { target: here, ignore: { C7: an importer, C99: none } }\nfixture: { customer: [] }\nclock: { at: never }\ntestValues: { card: 5 }\n',
  )
  expect(await paysimIn(at, ['run'])).toEqual({
    code: 2,
    stdout: '',
    stderr: `paysim.yaml:2:1: ratelimit is unknown; did you mean rateLimit?
paysim.yaml:4:9: gauntlet.jobs must be a whole number from 1 to 64, not "many"
paysim.yaml:5:12: gauntlet.reports must be junit=FILE, json=FILE or html=FILE, not {"junit":"a.xml","xml":"b"}
paysim.yaml:6:18: audit.target must be an http or https URL, not "here"
paysim.yaml:6:51: audit.ignore.C99 is not an audit rule; did you mean C9?
paysim.yaml:7:12: fixture.customer is unknown; did you mean customers?
paysim.yaml:8:14: clock.at must be a time with a zone, such as 2026-01-01T00:00:00Z, from 1970 to 9000, not "never"
paysim.yaml:9:21: testValues.card must be an object, not 5
`,
  })
  expect(await paysimIn(project('port: 0\nfixture: dmo\n'), ['start'])).toEqual({
    code: 2,
    stdout: '',
    stderr: 'paysim.yaml:2:10: fixture names a file that does not exist: dmo; did you mean demo?\n',
  })
  const nowhere = [
    ['start', 'scenario: none.yaml', 'scenario names a file or folder'],
    ['start', 'profile: none.yaml', 'profile names a file'],
    ['lint', 'scenarios: [none.yaml]', 'scenarios names a file or folder'],
  ] as const
  const ends = nowhere.map(([command, line]) => paysimIn(project(`port: 0\n${line}\n`), [command]))
  expect((await Promise.all(ends)).map(({ stderr }) => stderr)).toEqual(
    nowhere.map(
      ([, line, rule]) => `paysim.yaml:2:${line.indexOf(' ') + 2}: ${rule} that does not exist: none.yaml.\n`,
    ),
  )
  const noYaml = project('port: [1\n')
  expect(await paysimIn(noYaml, ['lint', '--bundled'])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^paysim\.yaml:2:1: a \[ before this place is not closed/),
  })
})

test('the file is found from a subfolder, its paths are relative to it, and a flag or --no-config overrides it', async () => {
  const at = project('scenarios: [checks]\nrun: { reports: { junit: out/junit.xml } }\n')
  for (const name of ['checks', 'out', 'src']) mkdirSync(join(at, name))
  writeFileSync(join(at, 'checks/it.yaml'), SCENARIO)
  const inside = join(at, 'src')
  const [played, without, named, variable] = await Promise.all([
    paysimIn(inside, ['run']),
    paysimIn(inside, ['run', '--no-config']),
    paysimIn(folder(), ['run', '--config', join(at, 'paysim.yaml'), '--report', 'json=it.json']),
    paysimIn(folder(), ['lint'], { PAYSIM_CONFIG: join(at, 'paysim.yaml') }),
  ])
  expect([played.code, played.stderr, played.stdout]).toEqual([0, '', expect.stringContaining('1 passed')])
  expect(readFileSync(join(at, 'out/junit.xml'), 'utf8')).toContain('It is there')
  expect([without.code, without.stderr]).toEqual([2, expect.stringContaining('No folder named scenarios')])
  expect(named.code).toBe(0)
  expect(variable.stdout).toBe('1 scenario without a mistake\n')
})

test('the file of an outer project is ignored', async () => {
  const at = project('port: wrong\n')
  const inner = join(at, 'inner')
  mkdirSync(inner)
  writeFileSync(join(inner, 'package.json'), '{}')
  expect(await paysimIn(inner, ['sign', '{}'])).toMatchObject({ code: 0 })
  expect(await paysimIn(at, ['sign', '{}'])).toMatchObject({ code: 2 })
})

test('the schema describes the possible content of the file, with the help of each option', () => {
  const { properties, additionalProperties } = settingsJsonSchema() as {
    properties: Record<string, { description?: string; properties?: object }>
    additionalProperties: boolean
  }
  expect(additionalProperties).toBe(false)
  expect(properties.port).toMatchObject({ type: 'integer', description: expect.stringContaining('port') })
  expect(properties.gauntlet!.properties).toMatchObject({ quick: { type: 'boolean' } })
  expect(Object.keys(properties.audit!.properties!)).toEqual(expect.arrayContaining(['ignore', 'target']))
  expect(Object.keys(properties)).toEqual(
    expect.arrayContaining(['fixture', 'profile', 'scenario', 'scenarios']),
  )
})

test('FORCE_COLOR and NO_COLOR control colors, and -v prints the version', async () => {
  const at = folder({ 'it.yaml': SCENARIO })
  const [plain, forced, none, version] = await Promise.all([
    paysimIn(at, ['run', 'it.yaml']),
    paysimIn(at, ['run', 'it.yaml'], { FORCE_COLOR: '1', NO_COLOR: '1' }),
    paysimIn(at, ['run', 'it.yaml'], { FORCE_COLOR: '0' }),
    paysimIn(at, ['-v']),
  ])
  expect([plain, forced, none].map(({ stdout }) => stdout.includes('\u001B['))).toEqual([false, true, false])
  expect(version.stdout).toBe(`${JSON.parse(readFileSync('package.json', 'utf8')).version}\n`)
})

test('bash completes commands, flags and their values', async () => {
  const script = await paysimIn(folder(), ['completion', 'bash'])
  const completed = async (line: readonly string[]) => {
    const words = line.map((word) => `'${word}'`).join(' ')
    const asked = `${script.stdout}\nCOMP_WORDS=(${words}); COMP_CWORD=${line.length - 1}
      eval "$(complete -p \${COMP_WORDS[0]} | sed 's/.*-F \\([^ ]*\\).*/\\1/')"; echo "\${COMPREPLY[*]}"`
    const shell = spawn('bash', ['--norc', '-c', asked])
    return (await text(shell.stdout)).trim().split(' ')
  }
  expect(await completed(['paysim', 'ga'])).toEqual(['gauntlet'])
  expect(await completed(['paysim', 'gauntlet', '--qu'])).toEqual(['--quick'])
  expect(await completed(['paysim', 'start', '--log', ''])).toEqual(['pretty', 'json', 'silent'])
  expect(await completed(['paysim', 'run', ''])).toEqual([''])
  expect(await completed(['npx', 'pay'])).toEqual(['paysim'])
  expect(await completed(['npx', 'paysim', 'gauntlet', '--qu'])).toEqual(['--quick'])
  expect(await completed(['npx', 'eslint', '--qu'])).toEqual([''])
  for (const shell of ['zsh', 'fish']) {
    const { code, stdout } = await paysimIn(folder(), ['completion', shell])
    expect([code, stdout]).toEqual([0, expect.stringContaining('quick')])
    expect(stdout).toContain('npx')
  }
  const unknown = await paysimIn(folder(), ['completion', 'bsh'])
  expect([unknown.code, unknown.stderr]).toEqual([
    2,
    'The shell must be bash, zsh or fish, not "bsh"; did you mean bash?\n',
  ])
})
