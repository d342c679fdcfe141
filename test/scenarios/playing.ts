import { expect } from 'vitest'
import { commandOptions } from '../../src/spec/options/option.ts'
import { resolveOptions } from '../../src/spec/options/read.ts'
import { Secrets } from '../../src/spec/secrets.ts'
import { compareFiles } from '../../src/tools/fidelity/compare-files.ts'
import { COMMANDS } from '../../src/tools/options/commands.ts'
import { requireOutputs } from '../../src/tools/options/output-files.ts'
import { playCommand } from '../../src/tools/player/command.ts'
import type { PlayOptions } from '../../src/tools/player/options.ts'
import type { PlayIo } from '../../src/tools/player/run-setup.ts'
import { folder } from '../given.ts'
import { startOwn } from './own.ts'

export const folderOf = async (files: Record<string, string>): Promise<string> => folder(files)

/** How a test plays one file with `playFile`. */
export const session = () => ({
  env: {},
  secrets: new Secrets(),
  keepGoing: false,
  patience: { within: 0, every: 1 },
  onStep() {},
})

export interface Shown {
  code: number
  out: string
  err: string
  folder: string
}

/** The flags of `paysim run`; here a value need not be a text. */
type AsGiven = Partial<Omit<PlayOptions, 'paths' | 'reports'>> & { reports?: readonly string[] }

/** The options of `paysim run` for these flags, or the error that refuses them. */
function readRun(flags: object) {
  const shape = COMMANDS.run.options
  try {
    const {
      profile: _,
      maxWait: __,
      ...resolved
    } = resolveOptions('run', shape, { flags: { ...flags }, env: {} })
    requireOutputs(commandOptions(shape, 'run'), resolved)
    return resolved
  } catch (cause) {
    return { wrong: (cause as Error).message }
  }
}

/** Without a target, it starts a simulator. */
export async function play(
  scenarios: string | Record<string, string>,
  { profile, patience, ...flags }: AsGiven = {},
  io: Partial<PlayIo> = {},
): Promise<Shown> {
  const folder = await folderOf(typeof scenarios === 'string' ? { 'it.yaml': scenarios } : scenarios)
  const out: string[] = []
  const err: string[] = []
  const resolved = readRun(flags)
  if ('wrong' in resolved) return { code: 2, out: '', err: resolved.wrong, folder }
  const code = await playCommand(
    {
      ...resolved,
      paths: [folder],
      ...(profile && { profile }),
      ...(patience && { patience }),
    },
    {
      out: (line) => out.push(line),
      annotate: (line) => out.push(line),
      err: (line) => err.push(line),
      color: false,
      env: {},
      startOwn,
      compare: (setup, target) => compareFiles(setup, target, undefined),
      ...io,
    },
  )
  // Replaces durations, which differ between runs.
  const shown = (lines: string[]) =>
    lines
      .join('\n')
      .replaceAll(folder, '.')
      .replace(/ {2}[\d.]+ m?s$/gm, '')
  return { code, out: shown(out), err: shown(err), folder }
}

export async function expectPassed(scenario: string): Promise<void> {
  const { code, out, err } = await play(scenario)
  expect({ code, err, out: code === 0 ? '' : out }).toEqual({ code: 0, err: '', out: '' })
}
