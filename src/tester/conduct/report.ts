/** The verdict for other programs: JUnit with a case for each rule, so that CI shows which one failed, or JSON. */
import type { JunitSuite } from '../../spec/junit.ts'
import { junitXml } from '../../spec/junit.ts'
import type { Conduct } from './judge.ts'
import { RULES } from './rules.ts'
import { findingText } from './show.ts'

export const conductReport = {
  json: (conduct: Conduct): string => `${JSON.stringify(conduct, null, 2)}\n`,
  junit: (conduct: Conduct): string => junitXml([suiteOf(conduct)]),
}

/** A warning is no failure: CI goes by the exit code, which a warning does not change. */
function suiteOf({ findings, ignored }: Conduct): JunitSuite {
  return {
    name: 'conduct',
    ms: 0,
    cases: RULES.map(({ id, title }) => {
      const errors = findings.filter(({ rule, severity }) => rule === id && severity === 'error')
      return {
        of: 'conduct',
        name: `${id} ${title}`,
        ms: 0,
        skipped: ignored.find(({ rule }) => rule === id)?.reason,
        failure:
          errors.length === 0
            ? undefined
            : { type: id, message: errors[0]!.what, text: errors.map(findingText).join('\n\n') },
      }
    }),
  }
}
