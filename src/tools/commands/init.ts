/**
 * `paysim init`: adds settings, a scenario, a test and a CI job to the project in this folder. Existing files are not
 * overwritten.
 */
import { accessSync, constants, lstatSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { UsageError } from '../../spec/options/read.ts'
import { readTextFile } from '../../spec/text-file.ts'
import { planFor } from '../init/files.ts'
import { findProject } from '../init/project.ts'
import type { Resolved } from '../options/commands.ts'
import { printText, terminal } from './terminal.ts'

export async function init({ language }: Resolved<'init'>): Promise<void> {
  const project = findProject(process.cwd(), language)
  const { files, test, next, missing } = planFor(project)
  const planned = files.map((file) => {
    const path = join(project[file.in === 'project' ? 'folder' : 'repository'], file.path)
    return { ...file, path, shown: relative(project.folder, path), isThere: isThere(path) }
  })
  // Everything is checked before anything is written.
  for (const { path, isThere } of planned) if (!isThere) requireRoom(path)
  const notRun = planned.flatMap(({ path, shown, isThere, ...file }) =>
    file.in === 'project' || !isThere || readTextFile(path).includes(test)
      ? []
      : [`${shown} does not run this test: add the step \`- run: ${test}\` to it.`],
  )
  for (const { path, shown, isThere, text } of planned) {
    if (!isThere) {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text, { flag: 'wx' })
    }
    terminal.out(isThere ? `kept   ${shown}, which exists` : `wrote  ${shown}`)
  }
  const width = Math.max(...next.map(([typed]) => typed.length))
  printText(['', 'Next:', ...next.map(([typed, what]) => `  ${typed.padEnd(width)}  ${what}`)].join('\n'))
  const others = project.others.map(
    (found) => `Found ${found.mark} too. For its test, run paysim init --language ${found.language}.`,
  )
  const notes = [...missing, ...notRun, ...others]
  if (notes.length > 0) printText(['', ...notes].join('\n'))
}

/** A symbolic link counts, even if it is dangling. */
function isThere(path: string): boolean {
  try {
    lstatSync(path)
    return true
  } catch {
    return false
  }
}

/** Throws if the file cannot be written, because a parent is a file, a dangling link or not writable. */
function requireRoom(path: string): void {
  const folder = dirname(path)
  if (!isThere(folder)) {
    requireRoom(folder)
    return
  }
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`${relative('.', folder)} must be a folder, but is a file. Nothing was written.`)
  try {
    accessSync(folder, constants.W_OK)
  } catch {
    throw new UsageError(`No permission to write to ${folder}. Nothing was written.`)
  }
}
