/** `paysim run --watch`: plays again what changed, and shows the failures of all other files until they are gone. */
import { dirname, isAbsolute, join } from 'node:path'
import { findScenarios } from '../../sandbox/scenario-file/files.ts'
import { problemLine, ScenarioError } from '../../sandbox/scenario-file/read.ts'
import { UsageError } from '../../spec/options/read.ts'
import { readTextFile } from '../../spec/text-file.ts'
import { sleep, stopwatch } from '../../spec/world/clock.ts'
import { colorsFor } from './colors.ts'
import { playSideBySide, tellResults, unread } from './play-files.ts'
import type { FileResult } from './result.ts'
import { type ExitCode, type RunSetup, withOwnSimulator } from './run-setup.ts'
import type { Target } from './session.ts'
import { failureLines, stepLine } from './show-result.ts'

/** How often files are looked at: often enough for a person, seldom enough for a thousand files. */
const LOOK_EVERY_MS = 250

/** Returns when it is stopped. `again` reads the files once more. */
export async function watchFiles(first: RunSetup, again: () => Promise<RunSetup>): Promise<ExitCode> {
  let code: ExitCode = 0
  const watch = async (address: Target) => {
    code = await new Watch(address, first, again).run()
  }
  await (first.target ? watch(first.target) : withOwnSimulator(first, watch))
  return code
}

class Watch {
  readonly #address: Target
  readonly #again: () => Promise<RunSetup>
  #setup: RunSetup
  /** The latest result of each file. */
  #last: readonly FileResult[] = []

  constructor(address: Target, first: RunSetup, again: () => Promise<RunSetup>) {
    this.#address = address
    this.#setup = first
    this.#again = again
  }

  async run(): Promise<ExitCode> {
    const { io, options } = this.#setup
    const stopped = io.stopped ?? new AbortController().signal
    let texts = await textsAt(options.paths)
    let code = await this.#play(undefined)
    while (!stopped.aborted) {
      io.out('')
      io.out('  Watching; Ctrl+C ends it.')
      const changed = new Set<string>()
      while (changed.size === 0 && !stopped.aborted) {
        await sleep(LOOK_EVERY_MS, { signal: stopped }).catch(() => {})
        const now = await textsAt(options.paths)
        for (const [file, text] of now) if (texts.get(file) !== text) changed.add(file)
        for (const file of texts.keys()) if (!now.has(file)) changed.add(file)
        // A changed file may contain setups that other files use, before or after the change.
        const isForOthers = [...changed].some((file) =>
          [texts.get(file), now.get(file)].some((text = '') => /\bsetups["']?\s*:/.test(text)),
        )
        texts = now
        if (changed.size > 0) code = await this.#readAndPlay(isForOthers ? undefined : changed)
      }
    }
    return code
  }

  async #readAndPlay(changed: ReadonlySet<string> | undefined): Promise<ExitCode> {
    const { io } = this.#setup
    io.clear?.()
    try {
      this.#setup = await this.#again()
    } catch (error) {
      if (error instanceof ScenarioError) for (const problem of error.problems) io.err(problemLine(problem))
      else if (error instanceof UsageError) io.err(error.message)
      else throw error
      return 2
    }
    return await this.#play(changed)
  }

  /** `changed`: undefined for all files. */
  async #play(changed: ReadonlySet<string> | undefined): Promise<ExitCode> {
    const setup = this.#setup
    const isDue = (file: string) => changed?.has(file) ?? true
    const began = stopwatch()
    const files = setup.files.filter(({ path }) => isDue(path))
    const played = await playSideBySide({ ...setup, files }, this.#address)
    const earlier = this.#last.filter(
      ({ file }) => !isDue(file) && setup.files.some(({ path }) => path === file),
    )
    for (const result of earlier.filter(({ outcome }) => outcome === 'failed')) this.#showAgain(result)
    const order = new Map(setup.files.map(({ path }, index) => [path, index]))
    const results = [...earlier, ...played].sort(
      (one, other) => (order.get(one.file) ?? 0) - (order.get(other.file) ?? 0),
    )
    this.#last = results
    const code = await tellResults(setup, [...unread(setup), ...results], stopwatch() - began)
    return setup.problems.length > 0 ? 2 : code
  }

  #showAgain({ file, name, steps, stepCount, reason }: FileResult): void {
    const { io } = this.#setup
    const colors = colorsFor(io.color)
    io.out(`${colors.strong(file)}  ${name}  ${colors.faint('(not changed)')}`)
    const failed = steps.filter(({ outcome }) => outcome === 'failed')
    for (const step of failed) {
      for (const line of [stepLine(step, stepCount, colors), ...failureLines(step, colors)]) io.out(line)
    }
    if (failed.length === 0) for (const line of `failed: ${reason}`.split('\n')) io.out(`  ${line}`)
    io.out('')
  }
}

/**
 * The files at the paths and those that they use, wherever these are. A file that cannot be found or read now may be there
 * at the next look.
 */
async function textsAt(paths: readonly string[]): Promise<Map<string, string>> {
  const texts = new Map<string, string>()
  async function read(file: string): Promise<void> {
    if (texts.has(file)) return
    texts.set(file, '')
    const text = textOrNothing(file)
    texts.set(file, text)
    await Promise.all(usedBy(file, text).map(read))
  }
  await Promise.all((await findScenarios(paths).catch(() => [])).map(read))
  return texts
}

function textOrNothing(file: string): string {
  try {
    return readTextFile(file)
  } catch {
    return ''
  }
}

/**
 * The files that a `use` names, searched in the text: a file with a mistake has no content to read them from.
 */
const usedBy = (file: string, text: string): string[] =>
  [...text.matchAll(/\buse["']?\s*:\s*["']?([^"'#\s]+)#/g)].map(([, name = '']) =>
    isAbsolute(name) ? name : join(dirname(file), name),
  )
