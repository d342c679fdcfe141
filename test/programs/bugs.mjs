// The programs, and copies of them with one bug from bugs.yaml each.
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

/** The command that sells. For server.mjs, which is an app, it runs the tests. */
export const PROGRAMS = {
  'sale.mjs': [process.execPath, 'sale.mjs'],
  'sale.py': ['python3', 'sale.py'],
  'sale.sh': ['bash', 'sale.sh'],
  'outbox.py': ['python3', 'outbox.py'],
  'server.mjs': [process.execPath, 'buyer.mjs'],
}

export const BUGS = parse(readFileSync(join(import.meta.dirname, 'bugs.yaml'), 'utf8'))

/** Copies the programs to `folder`, and plants the bug of this name in one of them. */
export function copyPrograms(folder, name) {
  cpSync(import.meta.dirname, folder, { recursive: true })
  if (name === undefined) return
  const { file, change } = BUGS[name]
  const path = join(folder, file)
  for (const lines of change
    .trimEnd()
    .split('\n\n')
    .map((text) => text.split('\n'))) {
    const marked = (mark) =>
      lines.flatMap((line) => (line.startsWith(mark) ? [line.slice(1)] : [])).join('\n')
    const parts = readFileSync(path, 'utf8').split(marked('-'))
    if (parts.length !== 2) throw new Error(`${file} has ${marked('-')} ${parts.length - 1} times`)
    writeFileSync(path, parts.join(marked('+')))
  }
}
