/** A folder for one test, gone with it. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'paysim-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}
