/** Finds scenario files: the given files, and every YAML file in the given folders. */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ScenarioError } from './read.ts'

/** Throws {@link ScenarioError} for a path without a scenario. */
export async function findScenarios(paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(paths.map(scenariosAt))
  return [...new Set(found.flat())]
}

async function scenariosAt(path: string): Promise<string[]> {
  const entry = await stat(path).catch(() => undefined)
  if (entry === undefined) throw notFound(path, 'file or folder not found')
  if (!entry.isDirectory()) return [path]
  const files = await filesBelow(path)
  if (files.length === 0) throw notFound(path, 'no scenarios in this folder')
  return files.map((name) => join(path, name))
}

async function filesBelow(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true }).catch(() => [])
  return names.filter((name) => /\.ya?ml$/.test(name)).sort()
}

const notFound = (file: string, message: string) => new ScenarioError([{ file, line: 1, column: 1, message }])
