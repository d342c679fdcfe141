/** Where a step stands in its file, for messages about it. */
import { isObject } from '../../spec/contract/parsed-json.ts'
import { valueAt } from '../../spec/contract/value-at.ts'
import type { SourceFile } from './source-file.ts'

/** `place` is as of a result: `3`, or `3.1` for the first step inside the third. Undefined where the file has none such. */
export function lineOfStep(source: SourceFile, place: string): number | undefined {
  const path = ['steps', Number.parseInt(place, 10) - 1]
  if (!isObject(valueAt(source.content, path))) return undefined
  return source.locate({ path, of: 'value' }, '').line
}
