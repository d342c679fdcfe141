/** What `paysim init` detects in a folder: the language of its tests, their runner, and the root of the repository. */
import { existsSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { isObject } from '../../spec/contract/parsed-json.ts'
import { UsageError } from '../../spec/options/read.ts'
import { readTextFile } from '../../spec/text-file.ts'
import { readManifest } from '../manifest.ts'
import { LANGUAGE_NAMES, LANGUAGES } from '../options/test-commands.ts'

export type Language = (typeof LANGUAGES)[number]

/** Files that identify the language of a project. */
const MARKS: Readonly<Record<Language, readonly string[]>> = {
  javascript: ['package.json'],
  python: ['pyproject.toml', 'requirements.txt'],
  go: ['go.mod'],
  java: ['pom.xml'],
}

export interface Project {
  folder: string
  language: Language
  /** The project's other languages, each with the file that identifies it. */
  others: readonly { language: Language; mark: string }[]
  has(path: string): boolean
  /** Empty if the file does not exist. */
  read(path: string): string
  /** The folder with `.git`, where GitHub reads workflows; the project's folder if there is none. */
  repository: string
  /** The path from the repository to the project's folder, with slashes; empty if they are the same. */
  inRepository: string
}

export function findProject(folder: string, asked: Language | undefined): Project {
  const has = (path: string) => existsSync(join(folder, path))
  const read = (path: string) => (has(path) ? readTextFile(join(folder, path)) : '')
  const marked = LANGUAGES.flatMap((language) => {
    const mark = MARKS[language].find(has)
    return mark === undefined ? [] : [{ language, mark }]
  })
  // In a project of another language, package.json may exist only because paysim was installed with npm.
  const isOfPaysim = Object.keys(packagesIn(readManifest(folder))).join() === 'paysim'
  const found =
    isOfPaysim && marked.length > 1 ? marked.filter(({ language }) => language !== 'javascript') : marked
  const language = asked ?? found[0]?.language
  if (language === undefined) {
    const marks = Object.values(MARKS).flat().join(', ')
    throw new UsageError(
      `Cannot detect the language: found none of ${marks}. Pass --language ${LANGUAGE_NAMES}.`,
    )
  }
  const repository = repositoryOf(folder) ?? folder
  return {
    folder,
    language,
    others: asked ? [] : found.slice(1),
    has,
    read,
    repository,
    inRepository: relative(repository, folder).split(sep).join('/'),
  }
}

export const packagesIn = ({
  dependencies,
  devDependencies,
}: Record<string, unknown>): Record<string, unknown> =>
  Object.assign({}, ...[dependencies, devDependencies].filter(isObject))

function repositoryOf(folder: string): string | undefined {
  if (existsSync(join(folder, '.git'))) return folder
  const above = dirname(folder)
  return above === folder ? undefined : repositoryOf(above)
}

/** The first result of `find`, from the project's folder up to the repository's. */
export function firstUpward<T>(
  { folder, repository }: Pick<Project, 'folder' | 'repository'>,
  find: (at: string) => T | undefined,
): T | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const found = find(at)
    if (found !== undefined || at === repository) return found
  }
}
