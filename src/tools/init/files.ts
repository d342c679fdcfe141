/** What `paysim init` copies into a project: the folders of `templates` for its language and test runner. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PACKAGE_ROOT, VERSION } from '../../spec/package.ts'
import { typedCommand } from '../../spec/typed.ts'
import { QUICK_TROUBLES } from '../options/test-commands.ts'
import { firstUpward, type Project, packagesIn, readManifest } from './project.ts'

export interface InitFile {
  /** Relative to the project's folder; that of a workflow, to the repository's. */
  path: string
  text: string
  in: 'project' | 'repository'
}

export interface Plan {
  files: readonly InitFile[]
  /** The command that runs the test, which the workflow must have. */
  test: string
  /** The commands to type next, each with what it does. */
  next: readonly (readonly [typed: string, what: string])[]
  /** What the project still lacks, in sentences. */
  missing: readonly string[]
}

interface Copied {
  /** Of `templates`, each with the folder of the project that it goes to. */
  folders: readonly (readonly [from: string, to: string])[]
  test: string
  /** What the workflow's placeholders stand for, apart from the folder. */
  values?: Readonly<Record<string, string>>
  paysim: string
  /** What starts paysim for the test. */
  start: string
  /** The folder of the schemas, for editors. */
  schemas?: string
  missing: readonly string[]
}

export function planFor(project: Project): Plan {
  const { folders, test, values = {}, paysim, start, schemas, missing } = COPIED[project.language](project)
  const filled = { ...values, test, folder: yamlText(project.inRepository || '.') }
  return {
    files: [['project', ''] as const, ...folders].flatMap(([from, to]) =>
      filesBelow(from).map((path): InitFile => {
        const text = readFileSync(join(TEMPLATES, from, path), 'utf8')
        if (path.startsWith('.github')) return { path, text: fill(text, filled), in: 'repository' }
        const schema = schemas === undefined ? undefined : SCHEMAS[path]?.(schemas)
        const head = schema === undefined ? '' : `# yaml-language-server: $schema=${schema}\n`
        return { path: join(to, path), text: head + text, in: 'project' }
      }),
    ),
    test,
    next: [
      [`${paysim} run`, 'plays the scenario'],
      [`${start}${test}`, 'runs the test; replace `pay` with your own client'],
      [`${paysim} gauntlet --quick -- ${test}`, `runs it once for each of ${QUICK_TROUBLES} more troubles`],
    ],
    missing,
  }
}

const TEMPLATES = fileURLToPath(new URL('templates', PACKAGE_ROOT))

const filesBelow = (folder: string): string[] =>
  readdirSync(join(TEMPLATES, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(TEMPLATES, folder, path)).isFile())
    .map((path) => path.split(sep).join('/'))
    .sort()

const fill = (text: string, values: Readonly<Record<string, string>>) =>
  text.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => values[name]!)

/** In quotes, for a name such as `null` or `a: b`. GitHub would evaluate an expression even there. */
const yamlText = (text: string) => JSON.stringify(text.replaceAll('${{', "${{ '${{' }}"))

/** Where an editor finds the schema of a file, from the folder of the file. */
const SCHEMAS: Readonly<Record<string, (schemas: string) => string>> = {
  'paysim.yaml': (at) => `${at.startsWith('.') ? '' : './'}${at}paysim.schema.json`,
  'scenarios/lost-answer.yaml': (at) => `../${at}scenarios/scenario.schema.json`,
}

/** The test of a project in another language asks a paysim that `paysim exec` starts. */
const inImage =
  (language: string, test: string, lacks: (project: Project) => string[] = () => []) =>
  (project: Project): Copied => {
    const paysim = typedCommand()
    return {
      folders: [[language, '']],
      test,
      paysim,
      start: `${paysim} exec -- `,
      missing: lacks(project),
    }
  }

const COPIED: Readonly<Record<Project['language'], (project: Project) => Copied>> = {
  javascript: forJavaScript,
  python: inImage('python', 'python3 -m pytest tests/test_paysim.py'),
  go: inImage('go', 'go test ./paysim'),
  java: inImage('java', 'mvn test -Dtest=PaysimTest', ({ read }) =>
    read('pom.xml').includes('junit-jupiter')
      ? []
      : ['pom.xml does not name junit-jupiter, which the test needs.'],
  ),
}

interface PackageManager {
  lockFile: string
  install: string
  /** Runs a command of an installed package. */
  run: string
  /** The same, without asking for a package that is not installed. */
  runInCi?: string
}

// Without --no-install npx would fetch the package `paysim` of npm, which may be another one.
const NPM: PackageManager = {
  lockFile: 'package-lock.json',
  install: 'npm ci',
  run: 'npx',
  runInCi: 'npx --no-install',
}
const PACKAGE_MANAGERS: readonly PackageManager[] = [
  NPM,
  {
    lockFile: 'pnpm-lock.yaml',
    install: 'corepack enable && pnpm install --frozen-lockfile',
    run: 'pnpm exec',
  },
  { lockFile: 'yarn.lock', install: 'corepack enable && yarn install', run: 'yarn' },
]

/** What runs the test, by the folder of its template. */
const RUN_BY: Readonly<Record<string, (path: string, run: string) => string>> = {
  vitest: (path, run) => `${run} vitest run ${path}`,
  'vitest-typescript': (path, run) => `${run} vitest run ${path}`,
  jest: (path, run) => `${run} jest ${path}`,
  'jest-modules': (path) => `node --experimental-vm-modules node_modules/jest/bin/jest.js ${path}`,
  'jest-typescript': (path, run) => `${run} jest ${path}`,
  mocha: (path, run) => `${run} mocha --timeout 60000 ${path}`,
  node: (path) => `node --test ${path}`,
}

function forJavaScript(project: Project): Copied {
  // Several packages may share one lock file.
  const manager = firstUpward(project, (at) =>
    PACKAGE_MANAGERS.find(({ lockFile }) => existsSync(join(at, lockFile))),
  )
  const { install, run, runInCi = run } = manager ?? { ...NPM, install: 'npm install' }
  const template = templateFor(project)
  const folder = project.has('tests') ? 'tests' : 'test'
  const [file] = filesBelow(template)
  const paysim = firstUpward(project, (at) => {
    const version = packagesIn(readManifest(at)).paysim
    return version === undefined ? undefined : { at, version }
  })
  return {
    folders: [
      [template, folder],
      ['javascript', ''],
    ],
    test: RUN_BY[template]!(`${folder}/${file}`, run),
    values: { install, run: runInCi },
    paysim: `${run} paysim`,
    start: '',
    schemas: `${modulesOf(project)}node_modules/paysim/`,
    missing: [
      ...(paysim === undefined
        ? ['package.json does not list paysim. Install it as the README of paysim describes.']
        : []),
      ...(paysim !== undefined && isOutside(project, paysim)
        ? [
            `CI cannot install paysim from ${paysim.version}, which is outside the repository. Keep the package in it: npm pack ../paysim --pack-destination vendor, then npm install --save-dev ./vendor/paysim-${VERSION}.tgz, and commit vendor.`,
          ]
        : []),
    ],
  }
}

/** Whether package.json names a file or folder that a clone of the repository does not have. */
const isOutside = ({ repository }: Project, { at, version }: { at: string; version: unknown }) =>
  typeof version === 'string' &&
  version.startsWith('file:') &&
  relative(repository, resolve(at, version.slice('file:'.length))).startsWith('..')

function templateFor(project: Project): string {
  const { type, jest, babel, ...manifest } = readManifest(project.folder)
  const packages = packagesIn(manifest)
  const has = (name: string) => Object.hasOwn(packages, name)
  const isTyped = has('typescript') || project.has('tsconfig.json')
  if (has('vitest')) return isTyped ? 'vitest-typescript' : 'vitest'
  if (has('jest')) {
    // Jest compiles no types unless its settings say by what.
    const hasSettings =
      jest !== undefined ||
      babel !== undefined ||
      readdirSync(project.folder).some((name) => /^(jest|babel)\.config\.|^\.babelrc/.test(name))
    const compiles = ['ts-jest', '@swc/jest', '@babel/preset-typescript'].some(has) && hasSettings
    if (isTyped && compiles) return 'jest-typescript'
    return type === 'module' ? 'jest-modules' : 'jest'
  }
  return has('mocha') ? 'mocha' : 'node'
}

/** The path up to the folder in which paysim is installed, which packages of one repository may share. */
const modulesOf = (project: Project) =>
  firstUpward(project, (at) =>
    existsSync(join(at, 'node_modules/paysim'))
      ? '../'.repeat(relative(at, project.folder).split(sep).filter(Boolean).length)
      : undefined,
  ) ?? ''
