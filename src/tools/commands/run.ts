/** `paysim run`: plays scenario files, in its own simulator unless a target is given. */
import { availableParallelism } from 'node:os'
import { UsageError } from '../../spec/options/read.ts'
import type { Resolved } from '../options/commands.ts'
import type { PlayOptions } from '../player/options.ts'
import type { Lifetime } from './lifetime.ts'
import { scenarioPaths } from './scenario-paths.ts'
import { annotation, hasColor, terminal } from './terminal.ts'

/** Clears the screen and the scrollback, and moves the cursor to the top. */
const EMPTY_SCREEN = '\u001B[2J\u001B[3J\u001B[H'

/** More concurrent files slow each other down. */
const JOBS_DEFAULT_MAX = 4

export async function run(
  { profile, learn, maxWait, ...given }: Resolved<'run'>,
  life: Lifetime,
): Promise<number> {
  if (learn !== undefined && !given.compare)
    throw new UsageError('Missing --compare: --learn writes the differences that it finds.')
  const options: PlayOptions = {
    ...given,
    paths: scenarioPaths('run', given),
    profile: profile === undefined ? undefined : await (await import('./profile.ts')).readProfile(profile),
    patience: maxWait === undefined ? undefined : { within: maxWait },
  }
  const stopped = options.watch ? life.stopSignal() : undefined
  if (!options.watch) life.endBySignal()
  const comparison = given.compare ? await import('../fidelity/compare-files.ts') : undefined
  const { playCommand } = await import('../player/command.ts')
  return playCommand(options, {
    ...terminal,
    annotate: annotation,
    color: hasColor(process.stdout, process.env),
    env: process.env,
    clear: process.stdout.isTTY ? () => process.stdout.write(EMPTY_SCREEN) : undefined,
    stopped,
    endWith: life.endWith,
    jobs: Math.min(JOBS_DEFAULT_MAX, availableParallelism()),
    startOwn: async () => (await import('../compose-server.ts')).startOwn({ tls: options.tls === true }),
    compare: comparison && ((setup, target) => comparison.compareFiles(setup, target, learn)),
  })
}
