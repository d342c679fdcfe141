/** A YAML file with the position of each value. */
import { ScenarioError, SourceFile } from '../../sandbox/scenario-file/source-file.ts'
import { UsageError } from '../../spec/options/read.ts'

export function yamlSource(text: string, file: string): SourceFile {
  try {
    return new SourceFile(text, file)
  } catch (cause) {
    throw cause instanceof ScenarioError ? new UsageError(cause.message) : cause
  }
}
