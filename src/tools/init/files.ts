/** The files that `paysim init` writes for a project, and what to do next. */

import { existsSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { typedCommand } from '../../spec/typed.ts'
import { QUICK_TROUBLES } from '../options/commands.ts'
import { javaScriptProject } from './javascript.ts'
import scenario from './lost-answer.yaml?text'
import javaTest from './PaysimTest.java?text'
import goTest from './paysim_test.go?text'
import { firstUpward, type Language, type Project } from './project.ts'
import pythonTest from './test_paysim.py?text'

export interface InitFile {
  /** Relative to the project's folder; that of a workflow, to the repository's. */
  path: string
  text: string
  in: 'project' | 'repository'
  /** The command that it runs. */
  runs?: string
}

export interface Plan {
  files: readonly InitFile[]
  /** The commands to type next, each with what it does. */
  next: readonly (readonly [typed: string, what: string])[]
  /** What the project still lacks, in sentences. */
  missing: readonly string[]
}

const SCENARIO = 'scenarios/lost-answer.yaml'
const WORKFLOW = '.github/workflows/paysim.yaml'

export function planFor(project: Project): Plan {
  const isJavaScript = project.language === 'javascript'
  const { test, job, paysim, start, missing } = isJavaScript
    ? forJavaScript(project)
    : forImage(project, OTHERS[project.language as Exclude<Language, 'javascript'>])
  const schemas = isJavaScript ? `${modulesOf(project)}node_modules/paysim/` : ''
  const file = (path: string, text: string): InitFile => ({ path, text, in: 'project' })
  return {
    files: [
      file('paysim.yaml', settingsText(schemas)),
      file(SCENARIO, withSchema(schemas && `../${schemas}scenarios/scenario.schema.json`, scenario)),
      file(test.path, test.text),
      { path: WORKFLOW, text: workflowText(project, job), in: 'repository', runs: test.command },
    ],
    next: [
      [`${paysim} run`, 'plays the scenario'],
      [`${start}${test.command}`, 'runs the test; put your own client in the place of `pay`'],
      [
        `${paysim} gauntlet --quick -- ${test.command}`,
        `runs it once for each of ${QUICK_TROUBLES} more troubles`,
      ],
    ],
    missing,
  }
}

/** The way to the folder in which paysim is installed: packages of one repository may share it. */
const modulesOf = (project: Project) =>
  firstUpward(project, (at) =>
    existsSync(join(at, 'node_modules/paysim'))
      ? '../'.repeat(relative(at, project.folder).split(sep).filter(Boolean).length)
      : undefined,
  ) ?? ''

const withSchema = (schema: string, text: string) =>
  schema ? `# yaml-language-server: $schema=${schema}\n${text}` : text

const settingsText = (schemas: string) =>
  withSchema(
    schemas && `${schemas.startsWith('.') ? '' : './'}${schemas}paysim.schema.json`,
    `# Options of paysim that the team shares; \`paysim start --help\` names them all.

# What \`paysim start\` serves
rateLimit: off
fixture: demo
# webhook: { url: "http://localhost:3000/webhooks" }

# What \`paysim run\` plays
scenarios: [scenarios]
`,
  )

interface Parts {
  test: { path: string; text: string; command: string }
  /** The job of the workflow, from its \`runs-on\` on. */
  job: string
  paysim: string
  /** The command that starts paysim beside the test. */
  start: string
  missing: readonly string[]
}

function forJavaScript(project: Project): Parts {
  const { install, run, runInCi, test, paysim } = javaScriptProject(project)
  return {
    test,
    paysim: `${run} paysim`,
    start: '',
    job: `    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: 24
      - run: ${install}
      - run: ${runInCi} paysim run
      - run: ${runInCi} paysim gauntlet --quick -- ${test.command}
`,
    missing: [
      ...(paysim === undefined ? ['package.json does not name paysim: install it as its README says.'] : []),
      ...(typeof paysim === 'string' && paysim.startsWith('file:../')
        ? [`CI cannot install paysim from ${paysim}: keep the packed file in the repository, or publish it.`]
        : []),
    ],
  }
}

interface OtherLanguage extends Pick<Parts, 'test'> {
  /** Installs the language and what the test needs. */
  steps: string
  /** Why the test would not run yet, in a sentence; undefined where nothing is missing. */
  lacks?(project: Project): string | undefined
}

const OTHERS: Readonly<Record<Exclude<Language, 'javascript'>, OtherLanguage>> = {
  python: {
    test: {
      path: 'tests/test_paysim.py',
      text: pythonTest,
      command: 'python3 -m pytest tests/test_paysim.py',
    },
    steps: `      - uses: actions/setup-python@v5
        with:
          python-version: "3.x"
      - run: pip install pytest
`,
  },
  go: {
    test: { path: 'paysim/paysim_test.go', text: goTest, command: 'go test ./paysim' },
    steps: `      - uses: actions/setup-go@v5
        with:
          go-version: stable
`,
  },
  java: {
    test: { path: 'src/test/java/PaysimTest.java', text: javaTest, command: 'mvn test -Dtest=PaysimTest' },
    steps: `      - uses: actions/setup-java@v4
        with:
          distribution: temurin
          java-version: 21
`,
    lacks: ({ read }) =>
      read('pom.xml').includes('junit-jupiter')
        ? undefined
        : 'pom.xml does not name junit-jupiter, which the test needs.',
  },
}

/** Projects in other languages start paysim as a container: they may have no Node. */
const IMAGE = `ghcr.io/\${{ github.repository_owner }}/paysim:latest`

function forImage(project: Project, { test, steps, lacks }: OtherLanguage): Parts {
  const lacking = lacks?.(project)
  const paysim = typedCommand()
  // Others have the test too, and not a file of this machine.
  const isOfFile = paysim.startsWith('npx -p ')
  const text = isOfFile ? test.text : test.text.replace('`paysim start`', `\`${paysim} start\``)
  return {
    test: { ...test, text },
    paysim,
    start: `${paysim} exec -- `,
    job: `    # Push the image to a registry of yours first.
    services:
      paysim:
        image: ${IMAGE}
        ports:
          - 4100:4100
    env:
      PAYSIM_URL: http://127.0.0.1:4100
    steps:
      - uses: actions/checkout@v4
${steps}      - run: docker run --rm -v "$PWD/scenarios:/scenarios:ro" ${IMAGE} run /scenarios
      - run: ${test.command}
`,
    missing: lacking === undefined ? [] : [lacking],
  }
}

/** In quotes, for a name such as `null` or `a: b`. GitHub would evaluate an expression even there. */
const yamlText = (text: string) => JSON.stringify(text.replaceAll('${{', "${{ '${{' }}"))

function workflowText({ inRepository }: Project, job: string): string {
  const place =
    inRepository && `    defaults:\n      run:\n        working-directory: ${yamlText(inRepository)}\n`
  return `# Written by paysim init: plays the scenarios, and runs the test of paysim.
name: paysim
on: [push, pull_request]

permissions:
  contents: read

jobs:
  paysim:
    runs-on: ubuntu-latest
${place}${job}`
}
