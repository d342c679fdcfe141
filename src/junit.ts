/** JUnit XML, which CI servers read. */
import { xmlText } from './player/xml-text.ts'

export interface JunitCase {
  /** Groups cases, such as by file. */
  of: string
  name: string
  ms: number
  failure?: { message: string; text: string } | undefined
  /** Why it was not judged. */
  skipped?: string | undefined
}

export interface JunitSuite {
  name: string
  ms: number
  cases: readonly JunitCase[]
}

export const junitXml = (suites: readonly JunitSuite[]): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.map(suiteXml).join('')}</testsuites>\n`

function suiteXml({ name, ms, cases }: JunitSuite): string {
  const failures = cases.filter(({ failure }) => failure).length
  const skipped = cases.filter((one) => one.skipped !== undefined).length
  return `  <testsuite name="${xmlText(name)}" tests="${cases.length}" failures="${failures}" skipped="${skipped}" time="${inSeconds(ms)}">\n${cases.map(caseXml).join('')}  </testsuite>\n`
}

function caseXml({ of, name, ms, failure, skipped }: JunitCase): string {
  return `    <testcase classname="${xmlText(of)}" name="${xmlText(name)}" time="${inSeconds(ms)}">${resultXml(failure, skipped)}</testcase>\n`
}

function resultXml(failure: JunitCase['failure'], skipped: JunitCase['skipped']): string {
  if (failure) return `<failure message="${xmlText(failure.message)}">${xmlText(failure.text)}</failure>`
  return skipped === undefined ? '' : `<skipped message="${xmlText(skipped)}"/>`
}

const inSeconds = (ms: number) => (ms / 1000).toFixed(3)
