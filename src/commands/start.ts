/** `paysim start`: listens, says where and how, and stops when it is told to. */
import { once } from 'node:events'
import type { BehaviorEngine } from '../behaviors/engine.ts'
import {
  DEFAULT_SANDBOX,
  LISTEN_OPTIONS,
  type LogFormat,
  type SimulatorOptions,
  UsageError,
} from '../config.ts'
import type { Fixture } from '../control/fixture.ts'
import { createLog, type Log } from '../log.ts'
import { composeSimulator } from '../simulator.ts'
import { Clock } from '../world/clock.ts'

export interface StartOptions extends Omit<SimulatorOptions, 'fixture'> {
  port?: number
  host?: string
  scenario?: string | undefined
  /** The file that it stands in. */
  fixture?: string | undefined
}

export async function start({ port, host, log, scenario, fixture, ...options }: StartOptions): Promise<void> {
  // Whoever reads the log may leave, and takes nobody along.
  process.stderr.on('error', () => {})
  // Whoever reads the address may ask to stop at once.
  const stopped = stopSignal()
  const usualLog: LogFormat = process.stderr.isTTY ? 'pretty' : 'json'
  const { simulator, internalsOf } = composeSimulator({
    ...options,
    log: log ?? usualLog,
    fixture: fixture === undefined ? undefined : await readFixture(fixture),
  })
  if (scenario !== undefined) {
    const { behaviors } = internalsOf(DEFAULT_SANDBOX)
    await keepArmed(behaviors, scenario, stopped, createLog(log ?? usualLog))
  }
  const { url } = await simulator.listen({
    port: port ?? LISTEN_OPTIONS.port.fallback,
    host: host ?? LISTEN_OPTIONS.host.fallback,
  })
  const { apiKey, rateLimit } = internalsOf(DEFAULT_SANDBOX).config
  const limit =
    rateLimit === 'off'
      ? 'off'
      : `${rateLimit} requests a minute for each IP, like staging; --rate-limit off lifts it`
  process.stdout.write(
    [
      `paysim serves on ${url}`,
      `  x-api-key   ${apiKey}`,
      `  dashboard   ${url}/_sim/ui`,
      `  rate limit  ${limit}`,
      '',
    ].join('\n'),
  )
  if (!stopped.aborted) await once(stopped, 'abort')
  await simulator.close()
  // Node would wait for somebody to read the last lines.
  if (process.stderr.writableLength > 0) process.exit()
}

/** What the files say is armed from the start; where they are wrong at first, nothing starts. */
async function keepArmed(
  engine: BehaviorEngine,
  path: string,
  stopped: AbortSignal,
  log: Log,
): Promise<void> {
  const { watchScenarios } = await import('../behaviors/watch-files.ts')
  await watchScenarios({
    path,
    env: process.env,
    clock: new Clock(),
    stopped,
    arm(behaviors) {
      engine.armPermanently(behaviors)
      log('info', `armed ${behaviors.length} ${behaviors.length === 1 ? 'behavior' : 'behaviors'} of ${path}`)
    },
    rejected: (why) => log('warn', `what was armed before stays, as the change is wrong: ${why}`),
  }).catch((cause: Error) => {
    throw new UsageError(cause.message)
  })
}

/** The first signal asks to stop; a second one does not wait. */
function stopSignal(): AbortSignal {
  const asked = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      process.once(signal, () => process.exit(1))
      asked.abort()
    })
  }
  return asked.signal
}

async function readFixture(file: string): Promise<Fixture> {
  const { readFixture } = await import('../control/fixture.ts')
  return readFixture(file)
}
