import { Document, isMap, visit } from 'yaml'
import type { Recording, WrittenStep } from './session.ts'

const FORMAT = { lineWidth: 110 }
/** A mapping that is at most this long as JSON is written on one line. */
const ONE_LINE_MAX = 84

export function scenarioYaml(scenario: object, leftOut: Recording['leftOut']): string {
  const document = withShortMapsOnOneLine(scenario)
  if (leftOut.length > 0) {
    document.commentBefore = [' Left out:', ...leftOut.map(({ id, why }) => ` ${id} ${why}`)].join('\n')
  }
  return document.toString(FORMAT)
}

export const stepsYaml = (steps: readonly WrittenStep[]): string =>
  withShortMapsOnOneLine(steps).toString(FORMAT)

function withShortMapsOnOneLine(value: unknown): Document {
  const document = new Document(value)
  visit(document, {
    Pair(_, { value: inner }) {
      if (isMap(inner) && JSON.stringify(inner.toJS(document)).length <= ONE_LINE_MAX) inner.flow = true
    },
  })
  return document
}
