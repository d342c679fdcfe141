/** `paysim lint`: checks scenario files. */
import { counted } from '../../spec/contract/counted.ts'
import { findScenarios } from './files.ts'
import { scenarioJsonSchema } from './format.ts'
import { type LocatedProblem, problemLine, ScenarioError, warningsOf } from './read.ts'

/** The output of a command, line by line: a line break inside a line is escaped. */
export interface Terminal {
  out(line: string): void
  err(line: string): void
}

/** Prints the JSON Schema of the format. */
export function printSchema({ out }: Pick<Terminal, 'out'>): void {
  for (const line of JSON.stringify(scenarioJsonSchema(), null, 2).split('\n')) out(line)
}

/** Checks files, and folders of them. Returns the exit code: 0, or 2 when a file is invalid. */
export async function lintCommand(paths: readonly string[], terminal: Terminal): Promise<0 | 2> {
  const { files, problems, warnings } = await lintFiles(paths)
  for (const problem of problems) terminal.err(problemLine(problem))
  for (const warning of warnings)
    terminal.err(problemLine({ ...warning, message: `warning: ${warning.message}` }))
  const invalid = new Set(problems.map(({ file }) => file)).size
  terminal.out(
    invalid === 0
      ? `${counted(files.length, 'scenario')} without a mistake`
      : `${counted(problems.length, 'mistake')} in ${counted(invalid, 'file')}`,
  )
  return invalid === 0 ? 0 : 2
}

export async function lintFiles(
  paths: readonly string[],
): Promise<{ files: string[]; problems: LocatedProblem[]; warnings: LocatedProblem[] }> {
  const problems: LocatedProblem[] = []
  const warnings: LocatedProblem[] = []
  const keep = (error: unknown): never[] => {
    if (!(error instanceof ScenarioError)) throw error
    problems.push(...error.problems)
    return []
  }
  const files = await findScenarios(paths).catch(keep)
  for (const file of files) warnings.push(...(await warningsOf(file).catch(keep)))
  return { files, problems, warnings }
}
