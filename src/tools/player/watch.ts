/** `paysim run --watch`: plays all files again if one of them, or a file they use, changes. */
import { dirname, isAbsolute, join } from 'node:path'
import { findScenarios } from '../../sandbox/scenario-file/files.ts'
import { readTextFile } from '../../spec/text-file.ts'
import { sleep } from '../../spec/world/clock.ts'
import { playFilesAt } from './play-files.ts'
import { type ExitCode, printMistake, type RunSetup, withOwnSimulator } from './run-setup.ts'
import type { Target } from './session.ts'

/** How often files are checked: often enough for a person, rarely enough for a thousand files. */
const LOOK_EVERY_MS = 250

/** Returns when it is stopped. `again` reads the files again. */
export async function watchFiles(first: RunSetup, again: () => Promise<RunSetup>): Promise<ExitCode> {
  const { io, options, target } = first
  const stopped = io.stopped ?? new AbortController().signal
  let code: ExitCode = 0

  async function watch(address: Target): Promise<void> {
    let before = await textsAt(options.paths)
    code = await playFilesAt(first, address)
    while (!stopped.aborted) {
      io.out('')
      io.out('  Watching for changes. Press Ctrl+C to stop.')
      let now = before
      while (now === before && !stopped.aborted) {
        await sleep(LOOK_EVERY_MS, { signal: stopped }).catch(() => {})
        now = await textsAt(options.paths)
      }
      before = now
      if (!stopped.aborted) code = await readAndPlay(address)
    }
  }

  async function readAndPlay(address: Target): Promise<ExitCode> {
    io.clear?.()
    try {
      return await playFilesAt(await again(), address)
    } catch (error) {
      return printMistake(error, io)
    }
  }

  await (target ? watch(target) : withOwnSimulator(first, watch))
  return code
}

/**
 * The texts of the given files and those they use, joined for comparison. A file that is missing or unreadable now may be there
 * at the next check.
 */
async function textsAt(paths: readonly string[]): Promise<string> {
  const texts = new Map<string, string>()
  async function read(file: string): Promise<void> {
    if (texts.has(file)) return
    texts.set(file, '')
    const text = textOrNothing(file)
    texts.set(file, text)
    await Promise.all(usedBy(file, text).map(read))
  }
  await Promise.all((await findScenarios(paths).catch(() => [])).map(read))
  return JSON.stringify([...texts].sort())
}

function textOrNothing(file: string): string {
  try {
    return readTextFile(file)
  } catch {
    return ''
  }
}

/** The files that a `use` names. Found by searching the text, because a file with a mistake cannot be parsed. */
const usedBy = (file: string, text: string): string[] =>
  [...text.matchAll(/\buse["']?\s*:\s*["']?([^"'#\s]+)#/g)].map(([, name = '']) =>
    isAbsolute(name) ? name : join(dirname(file), name),
  )
