/** `paysim start`: listens, says where and how, and stops when it is told to. */
import { DEFAULT_SANDBOX, LISTEN_OPTIONS, type LogFormat, type SimulatorOptions } from '../config.ts'
import { createSimulator } from '../simulator.ts'

export interface StartOptions extends SimulatorOptions {
  port?: number
  host?: string
}

export async function start({ port, host, log, ...options }: StartOptions): Promise<void> {
  const usualLog: LogFormat = process.stderr.isTTY ? 'pretty' : 'json'
  const simulator = createSimulator({ ...options, log: log ?? usualLog })
  const { url } = await simulator.listen({
    port: port ?? LISTEN_OPTIONS.port.fallback,
    host: host ?? LISTEN_OPTIONS.host.fallback,
  })
  const { apiKey, rateLimit } = simulator.sandbox(DEFAULT_SANDBOX).describe()
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
  await stopSignal()
  await simulator.close()
}

/** The first signal asks to stop; a second one does not wait. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.once(signal, () => {
        process.once(signal, () => process.exit(1))
        resolve()
      })
    }
  })
}
