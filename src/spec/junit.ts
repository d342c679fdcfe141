/**
 * JUnit XML, which CI servers read. Jenkins takes what stands before the last dot of `classname` for a package; GitLab takes
 * `classname` and `name` together for the identity of a case, and links to `file`, which is from the root of the repository.
 */

export interface JunitCase {
  /** Groups cases: words with dots between them, without a path. */
  of: string
  name: string
  ms: number
  /** The file that holds it. */
  file?: string | undefined
  /** `type`: a word for failures of its kind. */
  failure?: { type: string; message: string; text: string } | undefined
  /** Why it was not judged. */
  skipped?: string | undefined
}

export interface JunitSuite {
  name: string
  ms: number
  /** In ISO 8601. */
  startedAt?: string | undefined
  cases: readonly JunitCase[]
  /** What a person should know of all its cases. */
  output?: string | undefined
}

export const junitXml = (suites: readonly JunitSuite[]): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.map(suiteXml).join('')}</testsuites>\n`

function suiteXml({ name, ms, startedAt, cases, output }: JunitSuite): string {
  const failures = cases.filter(({ failure }) => failure).length
  const skipped = cases.filter((one) => one.skipped !== undefined).length
  return `  <testsuite name="${xmlText(name)}" tests="${cases.length}" failures="${failures}" errors="0" skipped="${skipped}"${attribute('timestamp', startedAt)} time="${inSeconds(ms)}">\n${cases.map(caseXml).join('')}${output === undefined ? '' : `    <system-out>${xmlText(output)}</system-out>\n`}  </testsuite>\n`
}

function caseXml({ of, name, ms, file, failure, skipped }: JunitCase): string {
  return `    <testcase classname="${xmlText(of)}" name="${xmlText(name)}"${attribute('file', file)} time="${inSeconds(ms)}">${resultXml(failure, skipped)}</testcase>\n`
}

function resultXml(failure: JunitCase['failure'], skipped: JunitCase['skipped']): string {
  if (failure)
    return `<failure type="${xmlText(failure.type)}" message="${xmlText(failure.message)}">${xmlText(failure.text)}</failure>`
  return skipped === undefined ? '' : `<skipped message="${xmlText(skipped)}"/>`
}

const attribute = (name: string, value: string | undefined) =>
  value === undefined ? '' : ` ${name}="${xmlText(value)}"`

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
