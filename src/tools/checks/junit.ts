/**
 * JUnit XML for CI servers. Jenkins treats `classname` up to the last dot as a package; GitLab identifies a case by `classname`
 * and `name`, and links to `file`, relative to the root of the repository.
 */
import { isAbsolute, relative, sep } from 'node:path'
import { xmlText } from '../../spec/xml-text.ts'
import type { Check, CheckReport } from './check.ts'

/** A check with parts becomes a suite; all other checks form one suite. */
export function junitXml({ command, name, ms, note, checks }: CheckReport): string {
  const suites = checks.some(({ parts }) => parts)
    ? checks.map((check) => suiteOfParts(check, isOneOfSeveral(check, checks)))
    : [suiteXml({ name, ms, note }, command, checks)]
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.join('')}</testsuites>\n`
}

/** A file with several cases has a check for each. */
const isOneOfSeveral = ({ file }: Check, all: readonly Check[]): boolean =>
  all.filter((check) => check.file === file).length > 1

/** A file in which no step ran becomes a case itself, so that the report shows it. */
function suiteOfParts(check: Check, isCase: boolean): string {
  const { parts = [], name } = check
  const cases = (parts.length > 0 ? parts : [{ ...check, ms: 0 }]).map((part) => ({
    ...part,
    name: isCase ? `${name}: ${part.name}` : part.name,
    file: check.file,
  }))
  return suiteXml(check, name, cases)
}

function suiteXml(
  { name, ms, startedAt, note }: Pick<Check, 'name' | 'ms' | 'startedAt' | 'note'>,
  of: string,
  cases: readonly Check[],
): string {
  const count = (outcome: Check['outcome']) => cases.filter((check) => check.outcome === outcome).length
  const output = note === undefined ? '' : `    ${outputXml(note)}\n`
  return `  <testsuite name="${xmlText(name)}" tests="${cases.length}" failures="${count('failed')}" errors="0" skipped="${count('skipped')}"${attribute('timestamp', startedAt)} time="${inSeconds(ms)}">\n${cases.map((check) => caseXml(check, of)).join('')}${output}  </testsuite>\n`
}

function caseXml(check: Check, of: string): string {
  const { name, about, file, ms } = check
  const path = file === undefined ? undefined : pathFromHere(file)
  const title = about === undefined ? name : `${name}: ${about}`
  return `    <testcase classname="${xmlText(path === undefined ? of : className(path))}" name="${xmlText(title)}"${attribute('file', path)} time="${inSeconds(ms)}">${resultXml(check)}</testcase>\n`
}

const className = (path: string) =>
  path
    .replace(/\.ya?ml$/, '')
    .replaceAll('.', '_')
    .replaceAll('/', '.')

/**
 * Relative to the working folder, which in CI is usually the root of the repository; for a file outside of it, the name alone.
 */
function pathFromHere(file: string): string {
  const path = relative('.', file)
  const isOutside = path.startsWith('..') || isAbsolute(path)
  return (isOutside ? path.slice(path.lastIndexOf(sep) + 1) : path).split(sep).join('/')
}

function resultXml({ outcome, verdict, kind, why, text = why }: Check): string {
  // A warning, or a trouble that the baseline accepts.
  if (outcome === 'passed') return text === '' ? '' : outputXml(text)
  if (outcome === 'skipped') return `<skipped message="${xmlText(why || (verdict ?? ''))}"/>`
  const message = [verdict, why].filter(Boolean).join(': ')
  return `<failure type="${xmlText(kind ?? verdict ?? 'error')}" message="${xmlText(message)}">${xmlText(text)}</failure>`
}

const outputXml = (text: string) => `<system-out>${xmlText(text)}</system-out>`

const attribute = (name: string, value: string | undefined) =>
  value === undefined ? '' : ` ${name}="${xmlText(value)}"`

const inSeconds = (ms = 0) => (ms / 1000).toFixed(3)
