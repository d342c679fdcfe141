/** Reads a scenario file, and reports all of its problems with line and column. */
import { dirname, isAbsolute, join } from 'node:path'
import { readTextFile, UnreadableFile } from '../../spec/text-file.ts'
import type { BehaviorInput } from './armable.ts'
import { expandFile, type OpenFile, type OriginProblem, type WrittenOut } from './expand.ts'
import { readBySchema } from './explain-issues.ts'
import { MAX_PROBLEMS, problemSentence } from './file-problem.ts'
import { Scenario } from './format.ts'
import { behaviorsIn } from './read-behaviors.ts'
import { checkReferences } from './references.ts'
import { inOrder, type LocatedProblem, ScenarioError, SourceFile } from './source-file.ts'
import { warningsIn } from './warnings.ts'

export { type LocatedProblem, problemLine, ScenarioError } from './source-file.ts'

/** The scenarios of a file: one, or one for each of its cases. Throws {@link ScenarioError} for an invalid file. */
export const readScenarios = async (path: string): Promise<Scenario[]> =>
  parseScenarios(textOf(path), path, openBeside)

/** Warnings about a file that can be played. Throws {@link ScenarioError} for an invalid file. */
export async function warningsOf(path: string): Promise<LocatedProblem[]> {
  const { expanded, scenarios } = readExpanded(textOf(path), path, openBeside)
  const found = expanded.scenarios.flatMap(({ content, originOf }, index) =>
    warningsIn(content, scenarios[index]!.sandbox?.profile).map((warning) =>
      located({ ...warning, ...originOf(warning.path) }),
    ),
  )
  return inOrder(distinct(found))
}

function textOf(path: string): string {
  try {
    return readTextFile(path)
  } catch (error) {
    throw new ScenarioError([{ file: path, line: 1, column: 1, message: whyNotRead(error) }])
  }
}

/** The scenario of a file, or the first of its cases. */
export const readScenario = async (path: string): Promise<Scenario> => (await readScenarios(path))[0]!

/** Parses a scenario. A `use` of another file needs `openFile`, which looks next to `file`. */
export const parseScenario = (text: string, file = 'scenario', openFile = refuseFiles): Scenario =>
  parseScenarios(text, file, openFile)[0]!

export const parseScenarios = (text: string, file = 'scenario', openFile = refuseFiles): Scenario[] =>
  readExpanded(text, file, openFile).scenarios

function readExpanded(text: string, file: string, openFile: OpenFile) {
  const source = new SourceFile(text, file)
  if (source.content === null) throw new ScenarioError([source.locate({ path: [], of: 'value' }, EMPTY_FILE)])
  const expanded = expandFile(source, openFile)
  const unwritten = expanded.problems.map(located)
  if (expanded.isCut) throw new ScenarioError(unwritten)
  const scenarios = expanded.scenarios.map(readWrittenOut)
  const read = [...scenarios, ...expanded.setups.map(readWrittenOut)]
  // A place that could not be expanded is reported once, without the problems that follow from it.
  const places = new Set(unwritten.map(placeOf))
  const others = read.flatMap(({ problems }) => problems.filter((problem) => !places.has(placeOf(problem))))
  const problems = distinct([...unwritten, ...others])
  if (problems.length > 0) throw new ScenarioError(problems.slice(0, MAX_PROBLEMS))
  return { expanded, scenarios: scenarios.map(({ scenario }) => scenario!) }
}

const EMPTY_FILE = 'the file is empty; a scenario needs name: and steps:, behaviors: or both'

/**
 * Reads the behaviors that a tester sends to arm: one behavior, a list, `{ behaviors }` or a scenario, as
 * YAML or JSON.
 */
export function parseBehaviors(text: string): BehaviorInput {
  const source = new SourceFile(text, 'body')
  const { written, problems } = behaviorsIn(source.content)
  if (problems.length === 0) return written
  throw new ScenarioError(problems.map((problem) => source.locate(problem, problem.message)))
}

/** Opens the file that a `use` names, relative to the folder of the referring file. */
export const openBeside: OpenFile = (name, from) => {
  const path = isAbsolute(name) ? name : join(dirname(from.file), name)
  try {
    return new SourceFile(readTextFile(path), path)
  } catch (error) {
    if (error instanceof ScenarioError) throw error
    throw new Error(whyNotRead(error))
  }
}

/** For a text from a request, which must not read files of this machine. */
const refuseFiles: OpenFile = () => {
  throw new Error('a text without a file can use only its own setups')
}

function whyNotRead(error: unknown): string {
  if (!(error instanceof UnreadableFile)) throw error
  return error.isMissing ? 'file not found' : `the file cannot be read: ${error.reason}`
}

function readWrittenOut({ content, case: name, isSetup, originOf }: WrittenOut): {
  scenario?: Scenario
  problems: LocatedProblem[]
} {
  const { data, problems } = readBySchema(Scenario, content)
  const all = [...problems, ...checkReferences(content, { isSetup, originOf })]
  return {
    ...(data && {
      scenario: name === undefined ? data : { ...data, name: `${data.name}: ${name}`, case: name },
    }),
    problems: all.map((problem) => located({ ...problem, ...originOf(problem.path) })),
  }
}

const located = (problem: OriginProblem): LocatedProblem =>
  problem.source.locate(problem, problemSentence(problem))

const placeOf = ({ file, line, column }: LocatedProblem) => `${file}:${line}:${column}`

/** Removes repeated problems: a step of an `each` is checked once for each item. */
function distinct(problems: readonly LocatedProblem[]): LocatedProblem[] {
  return [...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()]
}
