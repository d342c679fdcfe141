/** What `paysim init` copies into a project: the folders of `templates` for its language and test runner. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PACKAGE_ROOT, VERSION } from '../../spec/package.ts'
import { typedCommand } from '../../spec/typed.ts'
import { readManifest } from '../manifest.ts'
import { firstUpward, type Project, packagesIn } from './project.ts'

interface Copied {
  /** Folders of `templates`, each with its destination in the project. */
  folders: readonly (readonly [from: string, to: string])[]
  test: string
  /** The values of the workflow's placeholders, except the folder. */
  values?: Readonly<Record<string, string>>
  paysim: string
  /** The command that starts paysim for the test. */
  start: string
  /** The folder of the schemas, for editors. */
  schemas?: string
  /** What the project still lacks, in sentences. */
  missing: readonly string[]
}

/** The files, relative to the project's folder or the repository's, the command that runs the test, and the commands to type next, each with a description. */
export function planFor(project: Project) {
  const { folders, test, values = {}, paysim, start, schemas, missing } = COPIED[project.language](project)
  const filled = { ...values, test, folder: yamlText(project.inRepository || '.') }
  return {
    files: [['project', ''] as const, ...folders].flatMap(([from, to]) =>
      filesBelow(from).map((path) => {
        const text = readFileSync(join(TEMPLATES, from, path), 'utf8')
        if (path.startsWith('.github')) return { path, text: fill(text, filled), in: 'repository' as const }
        const schema = schemas === undefined ? undefined : SCHEMAS[path]?.(schemas)
        const head = schema === undefined ? '' : `# yaml-language-server: $schema=${schema}\n`
        return { path: join(to, path), text: head + text, in: 'project' as const }
      }),
    ),
    test,
    next: [
      [`${paysim} run`, 'plays the scenario'],
      [`${start}${test}`, 'runs the test; replace `pay` with your own client'],
      [`${paysim} gauntlet --quick -- ${test}`, 'runs it once for each kind of trouble'],
    ] as const,
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

/** Quoted, for names such as `null` or `a: b`. GitHub evaluates expressions even in quotes, so they are escaped. */
const yamlText = (text: string) => JSON.stringify(text.replaceAll('${{', "${{ '${{' }}"))

/** Where an editor finds the schema of a file, relative to the file. */
const SCHEMAS: Readonly<Record<string, (schemas: string) => string>> = {
  'paysim.yaml': (at) => `${at.startsWith('.') ? '' : './'}${at}paysim.schema.json`,
  'scenarios/lost-answer.yaml': (at) => `../${at}scenarios/scenario.schema.json`,
}

/** A test in another language uses a paysim that `paysim exec` starts. */
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
    read('pom.xml').includes('junit-jupiter') ? [] : ['pom.xml lacks junit-jupiter, which the test needs.'],
  ),
}

interface PackageManager {
  lockFile: string
  install: string
  /** Runs a command of an installed package. */
  run: string
  /** The same, without offering to install a missing package. */
  runInCi?: string
}

// Without --no-install, npx would download the npm package `paysim`, which may be an unrelated one.
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

/** The command that runs the test, by the folder of its template. */
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
  // Several packages may share a lock file.
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
    missing: paysim
      ? lackingInCi(project, paysim)
      : ['package.json does not list paysim. Install it as the README of paysim describes.'],
  }
}

/** A clone of the repository has only the files that are committed. */
function lackingInCi({ folder, repository }: Project, { at, version }: { at: string; version: unknown }) {
  if (typeof version !== 'string' || !version.startsWith('file:')) return []
  const file = resolve(at, version.slice('file:'.length))
  return relative(repository, file).startsWith('..')
    ? [
        `CI cannot install paysim from ${version}, which is outside the repository. Vendor the package: npm pack ../paysim --pack-destination vendor, then npm install --save-dev ./vendor/paysim-${VERSION}.tgz, and commit vendor.`,
      ]
    : [
        `Commit ${relative(folder, file)}, from which CI installs paysim (git add --force if .gitignore excludes it).`,
      ]
}

function templateFor(project: Project): string {
  const { type, jest, babel, ...manifest } = readManifest(project.folder)
  const packages = packagesIn(manifest)
  const has = (name: string) => Object.hasOwn(packages, name)
  const isTyped = has('typescript') || project.has('tsconfig.json')
  if (has('vitest')) return isTyped ? 'vitest-typescript' : 'vitest'
  if (has('jest')) {
    // Jest does not compile TypeScript unless it is configured.
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

/** The path up to the folder in which paysim is installed, which the packages of a monorepo may share. */
const modulesOf = (project: Project) =>
  firstUpward(project, (at) =>
    existsSync(join(at, 'node_modules/paysim'))
      ? '../'.repeat(relative(at, project.folder).split(sep).filter(Boolean).length)
      : undefined,
  ) ?? ''
