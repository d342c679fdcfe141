import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Creates a folder with these files, and removes it when the test ends. */
export function folder(files: Readonly<Record<string, string>> = {}): string {
  const path = mkdtempSync(join(tmpdir(), 'paysim-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text)
  return path
}

/** Collects the lines that are logged until the test ends, instead of showing them. */
export function logged(only = /(?:)/): string[] {
  const lines: string[] = []
  const { write } = process.stderr
  process.stderr.write = (line: string | Uint8Array) => {
    if (only.test(String(line))) lines.push(String(line))
    return true
  }
  onTestFinished(() => {
    process.stderr.write = write
  })
  return lines
}
