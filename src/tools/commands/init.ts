/** `paysim init`: settings, a scenario, a test and a CI job for the project of this folder. It overwrites nothing. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { planFor } from '../init/files.ts'
import { findProject } from '../init/project.ts'
import type { Resolved } from '../options/commands.ts'
import { terminal } from './terminal.ts'

export async function init({ language }: Resolved<'init'>): Promise<void> {
  const project = findProject(process.cwd(), language)
  const { files, next, missing } = planFor(project)
  const notRun: string[] = []
  for (const file of files) {
    const path = join(project[file.in === 'project' ? 'folder' : 'repository'], file.path)
    const shown = relative(project.folder, path)
    terminal.out(isWritten(path, file.text) ? `wrote  ${shown}` : `left   ${shown}, which was there`)
    if (file.runs !== undefined && !readFileSync(path, 'utf8').includes(file.runs))
      notRun.push(`${shown} does not run this test: add the step \`- run: ${file.runs}\` to it.`)
  }
  const width = Math.max(...next.map(([typed]) => typed.length))
  terminal.out(['', 'Next:', ...next.map(([typed, what]) => `  ${typed.padEnd(width)}  ${what}`)].join('\n'))
  const others = project.others.map(
    (other) =>
      `${other.mark} is here too: paysim init --language ${other.language} writes a test for it as well.`,
  )
  const notes = [...missing, ...notRun, ...others]
  if (notes.length > 0) terminal.out(['', ...notes].join('\n'))
}

/** Whether the file was not there. */
function isWritten(path: string, text: string): boolean {
  mkdirSync(dirname(path), { recursive: true })
  try {
    writeFileSync(path, text, { flag: 'wx' })
    return true
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw cause
  }
}
