/** The parts that playing and comparing share: files, address, output and reports. */
import type { Terminal } from '../../sandbox/scenario-file/lint.ts'
import { type LocatedProblem, problemLine } from '../../sandbox/scenario-file/read.ts'
import type { Secrets } from '../../spec/secrets.ts'
import { sleep, stopwatch } from '../../spec/world/clock.ts'
import type { LoadedFile, PlayOptions } from './options.ts'
import { RequestPace } from './request-pace.ts'
import type { FileResult } from './result.ts'
import type { SessionOptions, Target } from './session.ts'
import type { Patience } from './stage.ts'
import { drawSeed } from './variables.ts'
import { trust } from './wire.ts'

export interface PlayIo extends Terminal {
  color: boolean
  /** Prints a workflow command of GitHub Actions as is. */
  annotate?: ((line: string) => void) | undefined
  env: Readonly<Record<string, string | undefined>>
  /** Shows one line that replaces the one before; undefined without a terminal. */
  progress?: ((text: string) => void) | undefined
  /** Writes the page of `--report html=FILE`, which needs the dashboard. */
  writePage?: ((results: readonly FileResult[]) => Promise<string>) | undefined
  /** Empties the screen before a round of `--watch`; undefined where it is not a terminal. */
  clear?: (() => void) | undefined
  /** Aborted when a person ends `--watch`. */
  stopped?: AbortSignal | undefined
  endWith?: SessionOptions['endWith']
  /** How many files are played at the same time in our own simulator, without `--jobs`; 1 if it is not said. */
  jobs?: number
  /** Plays the files at the target and here, and compares them. */
  compare?: ((setup: RunSetup, target: Target) => Promise<ExitCode>) | undefined
  /** Starts a simulator to play against. */
  startOwn(): Promise<StartedSimulator>
}

export interface StartedSimulator {
  url: string
  apiKey: string
  /** The CA certificate to trust, when it serves HTTPS. */
  authority?: string | undefined
  close(): Promise<void>
}

/** 0: all passed. 1: something failed or differs. 2: a file or an option is invalid. */
export type ExitCode = 0 | 1 | 2

export interface RunSetup {
  files: readonly LoadedFile[]
  /** The mistakes in other files, which are not played and fail. */
  problems: readonly LocatedProblem[]
  /** Undefined to play against a simulator of our own. */
  target: Target | undefined
  options: PlayOptions
  io: PlayIo
  secrets: Secrets
}

/** The files that could not be read, each with its mistakes in the words of `paysim lint`. */
export function unreadFiles({ problems }: RunSetup): { file: string; reason: string }[] {
  const files = [...new Set(problems.map(({ file }) => file))]
  return files.map((file) => ({
    file,
    reason: problems
      .filter((one) => one.file === file)
      .map(problemLine)
      .join('\n'),
  }))
}

/** Starts a simulator, which is closed when the work has ended. */
export async function withOwnSimulator(
  { io, options, secrets }: RunSetup,
  work: (target: Target) => Promise<void>,
): Promise<void> {
  const own = await io.startOwn()
  secrets.add(own.apiKey)
  if (own.authority !== undefined) trust(own.authority)
  try {
    await work({
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

/** What every file of a run shares. */
export function sessionOptions({ io, options, secrets }: RunSetup): SessionOptions {
  const { patience, seed = drawSeed(), rateLimit, reports } = options
  const clock = { now: stopwatch, sleep }
  const say = (line: string) => io.err(`  ${line}`)
  return {
    env: io.env,
    secrets,
    patience: { ...PATIENCE, ...patience },
    keepGoing: false,
    onStep() {},
    seed,
    pace: rateLimit === 'off' ? undefined : new RequestPace(rateLimit, clock, say),
    endWith: io.endWith,
    keepJournal: reports.some(({ kind }) => kind === 'html'),
  }
}
