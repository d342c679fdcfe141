/** Where a step stands in its file, for messages about it. */
import { isMap, LineCounter, parseDocument } from 'yaml'

/** `place` is as of a result: `3`, or `3.1` for the first step inside the third. Undefined where the file has none such. */
export function lineOfStep(text: string, place: string): number | undefined {
  const lineCounter = new LineCounter()
  const document = parseDocument(text, { lineCounter, prettyErrors: false })
  const index = Number.parseInt(place, 10) - 1
  const step = document.getIn(['steps', index], true)
  return isMap(step) && step.range ? lineCounter.linePos(step.range[0]).line : undefined
}
