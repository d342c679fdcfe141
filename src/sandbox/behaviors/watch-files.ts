/**
 * Keeps the behaviors of a scenario file, or of a folder of them, armed: reads the files at the start and again after a
 * change. They are polled instead of watched, because change notifications do not reach mounted folders (Docker, NFS).
 */
import type { Environment } from '../../spec/environments/environment.ts'
import { readTextFile } from '../../spec/text-file.ts'
import type { Clock } from '../../spec/world/clock.ts'
import type { Behavior } from '../scenario-file/behavior.ts'
import { findScenarios } from '../scenario-file/files.ts'
import { fill, type Placeholder, placeholderText, takesFromRequest } from '../scenario-file/placeholder.ts'
import { openBeside, parseScenario } from '../scenario-file/read.ts'

interface WatchOptions {
  path: string
  env: Readonly<Record<string, string | undefined>>
  clock: Pick<Clock, 'waitKeepingProcess'>
  stopped: AbortSignal
  /** The environments that are served. A file names its own with `sandbox: { environment }`. */
  environments: readonly Environment[]
  /** Called for each environment with its behaviors, at the start and after every valid change. */
  arm(behaviors: Behavior[], environment: Environment): void
  /** Called with the mistakes of a changed file. The behaviors armed before remain. */
  rejected(why: string): void
}

export const POLL_INTERVAL_MS = 500

/** Resolves once the behaviors are armed. Rejects when the files are invalid at the start. */
export async function watchScenarios(watch: WatchOptions): Promise<void> {
  const texts = await read(watch.path)
  armAll(watch, texts)
  void poll(watch, texts)
}

async function poll(watch: WatchOptions, first: Texts): Promise<void> {
  const { path, clock, stopped, rejected } = watch
  let known = first
  let lastProblem: string | undefined
  const check = async () => {
    const texts = await read(path)
    if (JSON.stringify(texts) === JSON.stringify(known)) return
    known = texts
    armAll(watch, texts)
    lastProblem = undefined
  }
  const report = (cause: Error) => {
    if (cause.message !== lastProblem) rejected(cause.message)
    lastProblem = cause.message
  }
  for (;;) {
    await clock.waitKeepingProcess(POLL_INTERVAL_MS, stopped).catch(() => {})
    if (stopped.aborted) return
    await check().catch(report)
  }
}

type Texts = { file: string; text: string }[]

const read = async (path: string): Promise<Texts> =>
  (await findScenarios([path])).map((file) => ({ file, text: readTextFile(file) }))

/** Reads all files before it arms: a mistake in one leaves every environment unchanged. */
function armAll({ env, environments, arm }: WatchOptions, texts: Texts): void {
  const read = texts.map(({ file, text }) => behaviorsIn(text, file, env))
  const strange = read.find(({ environment }) => !environments.includes(environment))
  if (strange)
    throw new Error(
      `${strange.file} is for ${strange.environment}, which is started with --${strange.environment}`,
    )
  for (const environment of environments)
    arm(
      read.filter((file) => file.environment === environment).flatMap(({ behaviors }) => behaviors),
      environment,
    )
}

function behaviorsIn(text: string, file: string, env: WatchOptions['env']) {
  const { behaviors = [], sandbox } = parseScenario(text, file, openBeside)
  return {
    file,
    environment: sandbox?.environment ?? ('staging' as Environment),
    behaviors: behaviors.map((behavior) => fill(behavior, (placeholder) => envValue(placeholder, env, file))),
  }
}

function envValue(placeholder: Placeholder, env: WatchOptions['env'], file: string): string {
  if (takesFromRequest(placeholder)) return placeholderText(placeholder)
  if (placeholder.kind !== 'env') throw new Error(`${file}: captured values and UUIDs work only in steps`)
  const value = env[placeholder.name]
  if (value === undefined) {
    throw new Error(`${file}: the environment variable ${placeholder.name} is not set`)
  }
  return value
}
