/** Plays scenarios that a test writes down, and collects what a person would see. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { playCommand } from '../../src/tools/player/command.ts'
import type { PlayOptions } from '../../src/tools/player/options.ts'
import type { PlayIo } from '../../src/tools/player/run-setup.ts'

export async function folderOf(files: Record<string, string>): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'scenarios-'))
  onTestFinished(() => rm(path, { recursive: true }))
  for (const [name, text] of Object.entries(files)) await writeFile(join(path, name), text)
  return path
}

export interface Shown {
  code: number
  out: string
  err: string
  folder: string
}

export async function play(
  scenarios: string | Record<string, string>,
  options: Omit<PlayOptions, 'paths'>,
  io: Partial<PlayIo> = {},
): Promise<Shown> {
  const folder = await folderOf(typeof scenarios === 'string' ? { 'it.yaml': scenarios } : scenarios)
  const out: string[] = []
  const err: string[] = []
  const code = await playCommand(
    { paths: [folder], ...options },
    {
      out: (line) => out.push(line),
      err: (line) => err.push(line),
      color: false,
      env: {},
      startOwn: () => Promise.reject(new Error('this test starts none')),
      ...io,
    },
  )
  // How long something took is another number each time.
  const told = (lines: string[]) =>
    lines
      .join('\n')
      .replaceAll(folder, '.')
      .replace(/ {2}[\d.]+ m?s$/gm, '')
  return { code, out: told(out), err: told(err), folder }
}
