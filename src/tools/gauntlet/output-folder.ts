/** The folder for what the runs of a command print. */
import { mkdtempSync, rmdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** For the output of one run of the command: runs that are not survived leave theirs there. */
export const makeOutputFolder = (): string => mkdtempSync(join(tmpdir(), 'paysim-gauntlet-'))

/** Where the output of the app goes, next to that of the tests. */
export const appOutputFile = (file: string): string => file.replace(/\.log$/, '-app.log')

export function removeOutput(file: string | undefined): void {
  if (file === undefined) return
  for (const path of [file, appOutputFile(file)]) rmSync(path, { force: true })
}

/** Removes the folder if it is empty; outputs of runs that were not survived stay in it. */
export const removeIfEmpty = (folder: string): void => ignoring(['ENOTEMPTY'], () => rmdirSync(folder))

/** Does what may fail with one of these codes. */
export function ignoring(codes: readonly string[], work: () => void): void {
  try {
    work()
  } catch (cause) {
    if (!codes.includes((cause as NodeJS.ErrnoException).code ?? '')) throw cause
  }
}
