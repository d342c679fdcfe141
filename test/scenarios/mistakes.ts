/** Mistakes of scenario files, and their messages. */
import { parseScenarios, ScenarioError } from '../../src/sandbox/scenario-file/read.ts'

export const HEAD = 'name: n\nsteps:\n  - call: GET /v1/checkouts\n'

export function problemsOf(text: string): string[] {
  try {
    parseScenarios(text, 'f.yaml')
    return []
  } catch (error) {
    if (error instanceof ScenarioError) return error.message.split('\n')
    throw error
  }
}

/**
 * Parses blocks of a file's lines, each with a line `> 3:7: the message` for each problem. A file gets `name: n` before its
 * first key, and after a `+` a first step.
 */
export function mistakesIn(blocks: string): [file: string, problems: string[]][] {
  const found: [string, string[]][] = []
  let [file, problems]: [string, string[]] = ['', []]
  for (const line of [...blocks.trim().split('\n'), '']) {
    if (line.startsWith('> ')) {
      if (problems.length === 0) found.push([whole(file), problems])
      problems.push(`f.yaml:${line.slice(2)}`)
    } else {
      if (problems.length > 0) [file, problems] = ['', []]
      file += `${line}\n`
    }
  }
  return found
}

const whole = (file: string): string =>
  file.startsWith('+')
    ? HEAD + file.slice(1)
    : /^(sandbox|behaviors|cases|setups|steps):/.test(file)
      ? `name: n\n${file}`
      : file
