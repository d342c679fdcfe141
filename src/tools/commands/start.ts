/** `paysim start`: listens, prints its address and key, and stops on a signal. */
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rateLimitText } from '../../sandbox/log.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { buildServer } from '../../server/simulator/server.ts'
import type { Endpoint } from '../../service/webhooks/webhooks.ts'
import { counted } from '../../spec/contract/counted.ts'
import { didYouMean } from '../../spec/contract/suggest.ts'
import { ENVIRONMENTS, type Environment, fullName, NOTICES } from '../../spec/environments/environment.ts'
import { createLog, type Log } from '../../spec/log.ts'
import { commandOptions, type Options } from '../../spec/options/option.ts'
import { readOptions, UsageError } from '../../spec/options/read.ts'
import { DEFAULT_SANDBOX } from '../../spec/options/sandbox.ts'
import { ListenSettings, START_OPTIONS } from '../../spec/options/simulator.ts'
import { PACKAGE_ROOT } from '../../spec/package.ts'
import { typedCommand } from '../../spec/typed.ts'
import type { Resolved } from '../options/commands.ts'
import type { Lifetime } from './lifetime.ts'
import { printText } from './terminal.ts'

/** Warns of an unknown variable, which is ignored, and suggests the one that was probably meant. */
async function warnOfUnknown(environment: NodeJS.ProcessEnv, log: Log): Promise<void> {
  const variables = (options: Options, command: string) =>
    commandOptions(options, command).map(({ env }) => env)
  const known = variables(START_OPTIONS, 'start')
  const unknown = Object.keys(environment).filter(
    (name) => /^PAYSIM_(?!TEST_|CONFIG$)/.test(name) && !known.includes(name),
  )
  if (unknown.length === 0) return
  // The options of the other commands are loaded only here.
  const { COMMANDS } = await import('../options/commands.ts')
  const ofOthers = Object.entries(COMMANDS).flatMap(([name, { options }]) => variables(options, name))
  for (const name of unknown)
    if (!ofOthers.includes(name)) log('warn', `${name} is unknown and ignored${didYouMean(name, known)}`)
}

export async function start(
  { scenario, fixture, profile, productionPort, ...given }: Resolved<'start'>,
  life: Lifetime,
  settingsFile?: string,
): Promise<void> {
  const { port, host, tls, tlsCaOut, tlsCert, tlsKey, ...options } = given
  if (options.production && port !== 0 && port === productionPort)
    throw new UsageError(`--port and --production-port are both ${port}. Use 0 for any free port.`)
  // Must come before the folder of --data is opened.
  const where = readOptions(ListenSettings, { port, host, tls, tlsCaOut, tlsCert, tlsKey })
  // A reader of standard error that closes it must not stop the simulator.
  process.stderr.on('error', () => {})
  // Before the address is printed, because its reader may send a signal immediately.
  life.stopSignal()
  const { log = process.stderr.isTTY ? 'pretty' : 'json' } = options
  await warnOfUnknown(process.env, createLog(log))
  const { at, internalsOf, close } = buildServer(
    {
      ...options,
      production: options.production ?? false,
      log,
      fixture:
        typeof fixture === 'string'
          ? await (await import('../../tester/control/fixture.ts')).readFixture(fixture)
          : fixture,
      profile: profile === undefined ? undefined : await (await import('./profile.ts')).readProfile(profile),
    },
    { ownsProcess: true },
  )
  life.endWith(close)
  const served = (options.production ? ENVIRONMENTS : (['staging'] as const)).map((environment) => ({
    environment,
    shop: internalsOf(fullName({ environment, name: DEFAULT_SANDBOX })),
  }))
  if (scenario !== undefined) await armFiles(served, scenario, createLog(log))
  // Without a scenario, the behaviors that an earlier start armed in the stored sandboxes are disarmed.
  else for (const { shop } of served) shop.behaviors.armed.armPermanently([])
  const ports = { staging: port, production: productionPort }
  const banner: string[] = []
  for (const { environment, shop } of served) {
    const listening = await at(environment).listen({ ...where, port: ports[environment] })
    banner.push(`paysim serves on ${listening.url}`)
    if (environment === 'production') banner.push(`  ${NOTICES.production.title} ${NOTICES.production.text}`)
    banner.push(...firstSteps(listening, shop))
  }
  const { data } = options
  banner.push(
    ...(settingsFile === undefined ? [] : [`  settings    ${settingsFile}`]),
    ...(typeof fixture === 'string' ? [`  fixture     ${fixture}`] : []),
    `  data        ${data === undefined ? 'in memory only; --data FOLDER keeps it' : resolve(data)}`,
    `  docs        ${fileURLToPath(new URL('docs/README.md', PACKAGE_ROOT))}`,
  )
  printText(banner.join('\n'))
  await life.untilStopped()
  await life.end()
  // Exits immediately: Node would otherwise wait for pages that are still rendered for disconnected clients, and for the reader of
  // the log.
  process.exit()
}

/** What a person needs for the first request to the sandbox `default` of an environment. */
function firstSteps({ url, fingerprint }: { url: string; fingerprint?: string }, shop: Sandbox): string[] {
  const { config, webhooks } = shop
  return [
    `  x-api-key   ${config.apiKey}`,
    ...(fingerprint === undefined ? [] : [`  certificate ${fingerprint} (SHA-256)`]),
    `  dashboard   ${url}/_sim/ui`,
    `  rate limit  ${limitText(shop)}`,
    `  webhooks    ${webhooksText(webhooks.endpoint, config.environment)}`,
  ]
}

function limitText({ config, contract, rateLimit: { limit }, clock }: Sandbox): string {
  if (limit === 'off') return limit
  const { requests, flag } = rateLimitText(limit, contract, config.environment)
  const isCounted = config.rateLimit === undefined && clock.frozen
  return `${requests}; ${isCounted ? 'only counted while the clock is frozen' : `${flag} off lifts it`}`
}

function webhooksText(endpoint: Endpoint | undefined, environment: Environment): string {
  if (endpoint === undefined)
    return `not sent; set --${environment === 'staging' ? '' : 'production-'}webhook-url URL, or run ${typedCommand()} listen`
  const { url, events } = endpoint
  return events.includes('*') ? url : `${url} (${events.join(', ')})`
}

async function armFiles(
  served: readonly { environment: Environment; shop: Sandbox }[],
  path: string,
  log: Log,
): Promise<void> {
  const { behaviorsOfFiles } = await import('../../sandbox/behaviors/file-behaviors.ts')
  const environments = served.map(({ environment }) => environment)
  const read = await behaviorsOfFiles(path, process.env, environments)
  for (const { environment, shop } of served) {
    const behaviors = read.get(environment)!
    shop.behaviors.armed.armPermanently(behaviors)
    if (environment !== 'staging' && behaviors.length === 0) continue
    const where = environment === 'staging' ? '' : ` in ${environment}`
    log('info', `armed ${counted(behaviors.length, 'behavior')} of ${path}${where}`)
  }
}
