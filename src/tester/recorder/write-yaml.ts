import { Document, isMap, visit } from 'yaml'
import type { Recording } from './session.ts'

/** A mapping at most this long as JSON is written on one line. */
const ONE_LINE_MAX = 84

export function scenarioYaml(scenario: object, leftOut: Recording['leftOut']): string {
  const document = new Document(scenario)
  visit(document, {
    Pair(_, { value: inner }) {
      if (isMap(inner) && JSON.stringify(inner.toJS(document)).length <= ONE_LINE_MAX) inner.flow = true
    },
  })
  if (leftOut.length > 0) {
    document.commentBefore = [' Left out:', ...leftOut.map(({ id, why }) => ` ${id} ${why}`)].join('\n')
  }
  return document.toString({ lineWidth: 110 })
}
