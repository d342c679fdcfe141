/** Finds scenario files: the given files, every YAML file in the given folders, and what a pattern matches. */
import { readdir, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { isPattern } from '../../spec/options/read.ts'
import { ScenarioError } from './read.ts'

/** Throws {@link ScenarioError} for a path without a scenario. */
export async function findScenarios(paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(paths.map(scenariosAt))
  return [...new Set(found.flat())]
}

async function scenariosAt(path: string): Promise<string[]> {
  const entry = await stat(path).catch(() => undefined)
  if (entry === undefined) return matching(path)
  if (!entry.isDirectory()) return [path]
  const files = await filesBelow(path)
  if (files.length === 0) throw notFound(path, 'no scenarios in this folder')
  return files.map((name) => join(path, name))
}

async function filesBelow(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true }).catch(() => [])
  return names.filter((name) => /\.ya?ml$/.test(name)).sort()
}

/**
 * The files that a pattern matches. A quoted pattern is expanded here, so that it means the same in every shell: cmd.exe expands
 * none, and sh has no `**`. (Node's `fs.glob` needs Node 22.)
 */
async function matching(pattern: string): Promise<string[]> {
  if (!isPattern(pattern)) throw notFound(pattern, 'file or folder not found')
  const segments = pattern.split(/[\\/]/)
  const first = segments.findIndex(isPattern)
  const folder = first === 0 ? '.' : segments.slice(0, first).join('/') || '/'
  const wanted = patternRegex(segments.slice(first).join('/'))
  const files = (await filesBelow(folder)).filter((name) => wanted.test(name.split(sep).join('/')))
  if (files.length === 0) throw notFound(pattern, 'no scenario matches this pattern')
  return files.map((name) => join(folder, name))
}

/** `**` stands for any folders, `*` for a part of a name, `?` for one character, `{a,b}` for one of several. */
function patternRegex(pattern: string): RegExp {
  const source = pattern.replace(/\*\*\/|\*\*|\*|\?|\{([^{}]*)\}|[.+^$()|[\]\\{}]/g, (found, choices) => {
    if (found === '**/') return '(?:.*/)?'
    if (found === '**') return '.*'
    if (found === '*') return '[^/]*'
    if (found === '?') return '[^/]'
    if (choices === undefined) return `\\${found}`
    return `(?:${choices
      .split(',')
      .map((choice: string) => patternRegex(choice).source.slice(1, -1))
      .join('|')})`
  })
  return new RegExp(`^${source}$`)
}

const notFound = (file: string, message: string) => new ScenarioError([{ file, line: 1, column: 1, message }])
