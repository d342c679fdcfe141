/** What playing and comparing share: files, address, output and reports. */
import type { Terminal } from '../../sandbox/scenario-file/lint.ts'
import { UsageError } from '../../spec/options/read.ts'
import type { Secrets } from '../../spec/secrets.ts'
import type { LoadedFile, PlayOptions, UnreadFile } from './options.ts'
import type { SessionOptions, Target } from './session.ts'
import type { Patience } from './stage.ts'
import { drawSeed } from './variables.ts'
import { trust, Unreachable } from './wire.ts'

export interface PlayIo extends Terminal {
  color: boolean
  /** Prints a workflow command of GitHub Actions as is. */
  annotate?: ((line: string) => void) | undefined
  env: Readonly<Record<string, string | undefined>>
  /** Clears the screen before a round of `--watch`; undefined without a terminal. */
  clear?: (() => void) | undefined
  /** Aborted when the user ends `--watch`. */
  stopped?: AbortSignal | undefined
  endWith?: SessionOptions['endWith']
  /** How many files are played concurrently in our own simulator, without `--jobs`. Default: 1. */
  jobs?: number
  /** Plays the files at the target and in paysim, and compares the results. */
  compare?: ((setup: RunSetup, target: Target) => Promise<ExitCode>) | undefined
  startOwn(): Promise<StartedSimulator>
}

export interface StartedSimulator {
  url: string
  apiKey: string
  /** The CA certificate to trust, if it serves HTTPS. */
  authority?: string | undefined
  close(): Promise<void>
}

/** 0: all passed. 1: something failed or differs. 2: a file or an option is invalid. */
export type ExitCode = 0 | 1 | 2

export interface RunSetup {
  files: readonly LoadedFile[]
  /** Each counts as failed. */
  unread: readonly UnreadFile[]
  /** Undefined to play against our own simulator. */
  target: Target | undefined
  options: PlayOptions
  io: PlayIo
  secrets: Secrets
}

/** Prints a mistake in a file or an option, or that the target is unreachable; throws any other error. */
export function printMistake(error: unknown, { err }: Terminal): ExitCode {
  if (!(error instanceof UsageError)) throw error
  for (const line of error.message.split('\n')) err(line)
  return error instanceof Unreachable ? 1 : 2
}

/** Starts a simulator and closes it after the work. */
export async function withOwnSimulator<Result>(
  { io, options, secrets }: RunSetup,
  work: (target: Target) => Promise<Result>,
): Promise<Result> {
  const own = await io.startOwn()
  secrets.add(own.apiKey)
  if (own.authority !== undefined) trust(own.authority)
  try {
    return await work({
      base: new URL(own.url),
      apiKey: undefined,
      adminToken: undefined,
      profile: options.profile,
      takesProfile: true,
    })
  } finally {
    await own.close()
  }
}

/** Staging completes a refund within seconds; a minute allows for a slow one. */
const PATIENCE: Patience = { within: 60_000, every: 2_000 }

/** The options that all files of a run share. */
export function sessionOptions({ io, options, secrets }: RunSetup): SessionOptions {
  const { patience, seed = drawSeed(), reports } = options
  return {
    env: io.env,
    secrets,
    patience: { ...PATIENCE, ...patience },
    keepGoing: false,
    onStep() {},
    say: io.err,
    seed,
    endWith: io.endWith,
    keepJournal: reports.some(({ kind }) => kind === 'html'),
  }
}
