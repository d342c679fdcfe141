/** The verbs below `/_sim` about the simulator, one per row: its sandboxes, and its description. */
import { hostname } from 'node:os'
import { z } from 'zod'
import { sandboxNotRouted } from '../../spec/contract/errors.ts'
import { PAGE_MAX_ROWS } from '../../spec/contract/limits.ts'
import { Cursor, limitOf, pageOf } from '../../spec/contract/pages.ts'
import { text } from '../../spec/contract/tester.ts'
import { oneOf } from '../../spec/contract/wire.ts'
import { ENVIRONMENTS } from '../../spec/environments/environment.ts'
import { metaOf, option, withoutDefaults } from '../../spec/options/option.ts'
import { SandboxSettings } from '../../spec/options/sandbox.ts'
import { TestValues } from '../../spec/options/values.ts'
import { VERSION } from '../../spec/package.ts'
import type { Sandboxes } from './control.ts'
import { readBundledFixture } from './fixture.ts'
import { durationText } from './inputs.ts'
import { routesIn, verbsOf } from './route.ts'
import { SandboxDescription } from './shapes.ts'
import { AnyFixture, SourceBody } from './state.ts'
import { verbAt } from './verb.ts'

/** Identifies a process behind a proxy. In a container the host name is the container's or the pod's. */
const PROCESS_NAME = `${hostname()}:${process.pid}`

const { verb } = verbsOf<Sandboxes>()

const NewSandbox = z
  .strictObject({
    name: text.optional(),
    from: SourceBody.optional(),
    ttl: durationText.optional().describe('How long until it is removed automatically, in real time'),
    ...withoutDefaults(SandboxSettings.shape),
    fixture: z
      .union([z.string(), AnyFixture], {
        error: 'must be seed data, or the name of a fixture that comes with paysim, such as demo',
      })
      .optional()
      .describe('Seed data, or the name of a fixture that comes with paysim, such as demo'),
    testValues: option(TestValues, metaOf(SandboxSettings.shape.testValues)!),
  })
  .meta({ id: 'NewSandbox' })

type NewSandboxBody = NonNullable<Parameters<Sandboxes['create']>[0]>

/** Replaces the name of a fixture by its content. */
async function seeded<Given extends object>(given: Given & { fixture?: unknown }): Promise<Given> {
  const { fixture } = given
  return typeof fixture === 'string' ? { ...given, fixture: await readBundledFixture(fixture) } : given
}

/**
 * Takes the name from the header by which a proxy in front of many processes has chosen this one: with another name, later
 * requests would go to another process.
 */
function named(sandbox: NewSandboxBody, proposed: string | undefined): NewSandboxBody {
  const { name = proposed } = sandbox
  if (proposed !== undefined && name !== proposed) throw sandboxNotRouted(name!)
  return { ...sandbox, name }
}

const ProcessName = z.string().meta({
  description: 'The process that answered, if there are several behind a proxy',
  example: 'paysim-0:1',
})

/** Below `/_sim`. The object in this process has its own methods. */
export const SIMULATOR_VERBS = {
  about: verb<() => unknown>()('GET ', {
    summary: 'Version, sandboxes and links',
    answer: z.object({
      name: z.literal('paysim'),
      version: z.string(),
      process: ProcessName,
      environment: z.enum(ENVIRONMENTS).describe('The environment of this address'),
      addresses: z
        .record(z.enum(ENVIRONMENTS), z.string().nullable())
        .describe('The address of each environment; null if it is not served'),
      uptimeSeconds: z.int(),
      sandboxes: z.array(z.string()),
      links: z.record(z.string(), z.string()),
    }),
    run: (sandboxes) => ({
      name: 'paysim' as const,
      version: VERSION,
      process: PROCESS_NAME,
      environment: sandboxes.environment,
      addresses: {
        staging: sandboxes.addressOf('staging') ?? null,
        production: sandboxes.addressOf('production') ?? null,
      },
      uptimeSeconds: Math.floor(process.uptime()),
      sandboxes: sandboxes.sandboxes().map(({ name }) => name),
      links: {
        openapi: '/_sim/openapi.json',
        dashboard: '/_sim/ui',
        sandboxes: '/_sim/sandboxes',
        contract: '/openapi.json',
      },
    }),
  }),
  list: verb<() => SandboxDescription[]>()('GET /sandboxes', {
    answers: 'page',
    id: 'sandboxes.list',
    summary: 'List the sandboxes in order of creation, the latest page first',
    query: z.object({ limit: limitOf(PAGE_MAX_ROWS, PAGE_MAX_ROWS), cursor: Cursor.optional() }),
    answer: pageOf(SandboxDescription).extend({ process: ProcessName }),
    run: (sandboxes, { query }) => ({ ...sandboxes.list(query), process: PROCESS_NAME }),
  }),
  create: verb<(options: object) => SandboxDescription>()('POST /sandboxes', {
    id: 'sandboxes.create',
    summary: 'Create a sandbox: empty, as another one is now, or as a snapshot kept it',
    body: NewSandbox,
    status: 201,
    answer: SandboxDescription,
    refusals: [404, 409],
    run: async (sandboxes, { body, header }) =>
      sandboxes.createUnopened(await seeded(named(body as NewSandboxBody, header('sandbox-name')))),
  }),
  /** A new sandbox of that name; refused if there is one. A proxy in front of many processes routes it by its path. */
  createNamed: verbAt<(name: string, options: object) => SandboxDescription>('PUT /sandboxes/{sandbox}', {
    always: { query: { new: true } },
  }),
  get: verb<(name: string) => SandboxDescription>()('GET /sandboxes/{sandbox}', {
    id: 'sandboxes.get',
    summary: 'Read a sandbox',
    answer: SandboxDescription,
    refusals: [404],
    run: (sandboxes, { params }) => sandboxes.find(params.sandbox!).describe(),
  }),
  open: verb<(name: string, options: object) => SandboxDescription>()('PUT /sandboxes/{sandbox}', {
    id: 'sandboxes.open',
    summary: 'The sandbox of that name, created when there is none; refused when it has other settings',
    body: NewSandbox.omit({ name: true }).meta({ id: 'OpenedSandbox' }),
    answer: SandboxDescription,
    refusals: [404, 409],
    query: z.object({
      new: oneOf(['true', 'false'])
        .default('false')
        .describe('true: refused when there is one of that name, even with the same settings'),
    }),
    async run(sandboxes, { params, body, query }) {
      const options = await seeded(body as Omit<NewSandboxBody, 'name'>)
      const name = params.sandbox!
      return query.new === 'true'
        ? sandboxes.createUnopened({ ...options, name })
        : sandboxes.sandbox(name, options).describe()
    },
  }),
  remove: verb<(name: string) => void>()('DELETE /sandboxes/{sandbox}', {
    id: 'sandboxes.remove',
    summary: 'Remove a sandbox and everything in it',
    refusals: [404, 409],
    run: (sandboxes, { params }) => sandboxes.remove(params.sandbox!),
  }),
}

export const SIMULATOR_ROUTES = routesIn<Sandboxes>(SIMULATOR_VERBS)
