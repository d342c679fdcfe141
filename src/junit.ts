/** JUnit XML, which CI servers read. */

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

/** XML 1.0 cannot represent most control characters, even escaped. Right inside HTML, too. */
export const xmlText = (text: string): string =>
  text
    .replace(/[^\P{Cc}\n\t]|[\ufffe\uffff]/gu, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
