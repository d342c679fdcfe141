/** Where scenarios are found: the files that were named, and every YAML file below the folders that were named. */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ScenarioError } from './read.ts'

/** Throws {@link ScenarioError} for a path that leads to no scenario. */
export async function findScenarios(paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(paths.map(scenariosAt))
  return [...new Set(found.flat())]
}

async function scenariosAt(path: string): Promise<string[]> {
  const entry = await stat(path).catch(() => undefined)
  if (entry === undefined) throw nowhere(path, 'there is no such file or folder')
  if (!entry.isDirectory()) return [path]
  const names = await readdir(path, { recursive: true })
  const files = names.filter((name) => /\.ya?ml$/.test(name)).sort()
  if (files.length === 0) throw nowhere(path, 'there is no scenario in this folder')
  return files.map((name) => join(path, name))
}

const nowhere = (file: string, message: string) => new ScenarioError([{ file, line: 1, column: 1, message }])
