/**
 * Behaviors that a file says are armed, or the files of a folder: read at once, and again when one of them changes.
 * Files are looked at every so often rather than watched, which also works on folders that are mounted from elsewhere.
 */
import { readFile } from 'node:fs/promises'
import type { Behavior } from '../scenario-file/behavior.ts'
import { findScenarios } from '../scenario-file/files.ts'
import { fill, type Placeholder } from '../scenario-file/placeholder.ts'
import { parseScenario } from '../scenario-file/read.ts'
import type { Clock } from '../world/clock.ts'

export interface WatchOptions {
  path: string
  env: Readonly<Record<string, string | undefined>>
  clock: Pick<Clock, 'wait'>
  stopped: AbortSignal
  /** Called with what the files say, at first and after every change for the better. */
  install(behaviors: Behavior[]): void
  /** Called with what is wrong with a change. What was installed before stays. */
  refuse(why: string): void
}

export const LOOK_EVERY_MS = 500

/** Resolves once the behaviors are installed. Throws what is wrong with the files as they are at first. */
export async function watchScenarios(watch: WatchOptions): Promise<void> {
  const texts = await read(watch.path)
  watch.install(behaviorsIn(texts, watch.env))
  void follow(watch, texts)
}

async function follow(
  { path, env, clock, stopped, install, refuse }: WatchOptions,
  first: Texts,
): Promise<void> {
  let known = first
  let refused: string | undefined
  const look = async () => {
    const texts = await read(path)
    if (JSON.stringify(texts) === JSON.stringify(known)) return
    known = texts
    install(behaviorsIn(texts, env))
    refused = undefined
  }
  const complain = (cause: Error) => {
    if (cause.message !== refused) refuse(cause.message)
    refused = cause.message
  }
  for (;;) {
    await clock.wait(LOOK_EVERY_MS, stopped).catch(() => {})
    if (stopped.aborted) return
    await look().catch(complain)
  }
}

type Texts = { file: string; text: string }[]

const read = async (path: string): Promise<Texts> =>
  Promise.all(
    (await findScenarios([path])).map(async (file) => ({ file, text: await readFile(file, 'utf8') })),
  )

const behaviorsIn = (texts: Texts, env: WatchOptions['env']): Behavior[] =>
  texts.flatMap(({ file, text }) =>
    (parseScenario(text, file).behaviors ?? []).map((behavior) =>
      fill(behavior, (placeholder) => filled(placeholder, env, file)),
    ),
  )

function filled(placeholder: Placeholder, env: WatchOptions['env'], file: string): string {
  const { kind, name = '' } = placeholder
  const value = kind === 'env' ? env[name] : undefined
  if (value !== undefined) return value
  const why = kind === 'env' ? `the environment variable ${name} is not set` : `${kind} is for steps alone`
  throw new Error(`${file}: ${why}`)
}
