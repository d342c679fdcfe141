/** Reads a scenario file (YAML, so JSON as well) and reports all of its problems with line and column. */
import { readFile } from 'node:fs/promises'
import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
  type YAMLError,
} from 'yaml'
import { shortened } from '../contract/shortened.ts'
import type { Behavior } from './behavior.ts'
import { explainIssues } from './explain-issues.ts'
import type { FileProblem } from './file-problem.ts'
import { Scenario, scenarioJsonSchema } from './format.ts'
import { behaviorsOrProblems } from './read-behaviors.ts'
import { checkReferences } from './references.ts'

/** 256 KB: larger than written and recorded files, and small enough that hostile content is read quickly. */
const MAX_CHARS = 262_144

const MAX_ALIASES = 100

/** The rest is reported once these are corrected. */
const MAX_PROBLEMS = 100

export interface LocatedProblem {
  file: string
  line: number
  column: number
  message: string
}

export class ScenarioError extends Error {
  readonly problems: readonly LocatedProblem[]

  constructor(problems: readonly LocatedProblem[]) {
    super(problems.map(problemLine).join('\n'))
    this.name = 'ScenarioError'
    this.problems = problems
  }
}

export const problemLine = ({ file, line, column, message }: LocatedProblem): string =>
  `${file}:${line}:${column}: ${message}`

/** Throws {@link ScenarioError} for a file that cannot be read or is invalid. */
export async function readScenario(path: string): Promise<Scenario> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const why =
      error.code === 'ENOENT' ? 'there is no such file' : `the file cannot be read: ${error.message}`
    throw new ScenarioError([{ file: path, line: 1, column: 1, message: why }])
  })
  return parseScenario(text, path)
}

export const parseScenario = (text: string, file = 'scenario'): Scenario => parse(text, file, readContent)

/** What a tester sends to be armed: one behavior, a list, `{ behaviors }` or a scenario, as YAML or JSON. */
export const parseBehaviors = (text: string): Behavior[] => parse(text, 'body', readSent)

/** Gives what was read, or what is wrong with it. */
type ReadContent<Value> = (content: unknown) => { value: Value } | { problems: FileProblem[] }

function parse<Value>(text: string, file: string, readContent: ReadContent<Value>): Value {
  const lines = new LineCounter()
  const read = readText(text, lines, readContent)
  if ('value' in read) return read.value
  const problems = read.problems
    .slice(0, MAX_PROBLEMS)
    .sort((one, other) => one.offset - other.offset)
    .map(({ offset, message }) => {
      const { line, col } = lines.linePos(offset)
      return { file, line: Math.max(line, 1), column: Math.max(col, 1), message }
    })
  throw new ScenarioError(problems)
}

interface Problem {
  offset: number
  message: string
}

function readText<Value>(
  text: string,
  lineCounter: LineCounter,
  readContent: ReadContent<Value>,
): { value: Value } | { problems: Problem[] } {
  if (text.length > MAX_CHARS) return { problems: [{ offset: 0, message: 'the file is larger than 256 KB' }] }

  // The parser's own check for duplicate keys is quadratic; duplicateKeys() below is linear.
  const document = parseDocument(text, { lineCounter, prettyErrors: false, uniqueKeys: false })
  const syntax = firstOfEachLine([...document.errors, ...document.warnings], lineCounter)
  if (syntax.length > 0) {
    return {
      problems: syntax.map((error) => ({ offset: error.pos[0], message: syntaxMessage(text, error) })),
    }
  }
  const forbidden = [...duplicateKeys(document), ...forbiddenAliases(document)]
  if (forbidden.length > 0) return { problems: forbidden }

  const read = readContent(document.toJS({ maxAliasCount: -1 }))
  if ('value' in read) return read
  return {
    problems: read.problems
      .slice(0, MAX_PROBLEMS)
      .map((one) => ({ offset: locate(document, one), message: one.message })),
  }
}

function readContent(content: unknown): ReturnType<ReadContent<Scenario>> {
  const result = Scenario.safeParse(content)
  const problems = [
    ...(result.success
      ? []
      : explainIssues(result.error.issues.slice(0, MAX_PROBLEMS), content, scenarioJsonSchema)),
    ...checkReferences(content),
  ]
  return result.success && problems.length === 0 ? { value: result.data } : { problems }
}

function readSent(content: unknown): ReturnType<ReadContent<Behavior[]>> {
  const read = behaviorsOrProblems(content)
  return 'behaviors' in read ? { value: read.behaviors } : read
}

/** Later errors on the same line are mostly caused by the first one. */
function firstOfEachLine(errors: readonly YAMLError[], lines: LineCounter): YAMLError[] {
  const first = new Map<number, YAMLError>()
  for (const error of errors) {
    const { line } = lines.linePos(error.pos[0])
    if (!first.has(line)) first.set(line, error)
  }
  return [...first.values()].slice(0, MAX_PROBLEMS)
}

function syntaxMessage(text: string, { pos: [offset], message, code }: YAMLError): string {
  if (code === 'MULTIPLE_DOCS') return 'a file holds one scenario: remove the --- and what follows it'
  if (code === 'RESOURCE_EXHAUSTION') return 'the file is nested too deeply'
  const around = text.slice(Math.max(0, offset - 100), offset + 20).split('\n')
  const hasUnquotedPlaceholder = around.some((line) => /[{,][^"']*\$\{/.test(line))
  return message + (hasUnquotedPlaceholder ? '; between { } write "${name}" in quotes' : '')
}

function duplicateKeys(document: Document.Parsed): Problem[] {
  const found: Problem[] = []
  visit(document, {
    Map(_, map) {
      const seen = new Set<string>()
      for (const { key } of map.items) {
        const name = isScalar(key) ? String(key.value) : undefined
        if (name === undefined) {
          found.push({ offset: start(key as Node), message: 'a key must be a plain text' })
        } else if (seen.has(name)) {
          found.push({ offset: start(key as Node), message: `${shortened(name)} is given twice` })
        } else seen.add(name)
      }
    },
  })
  return found
}

/** An alias inside an anchored value could multiply its size exponentially, so it is refused. */
function forbiddenAliases(document: Document.Parsed): Problem[] {
  const found: Problem[] = []
  const anchors = new Set<string>()
  let count = 0
  visit(document, (_, node, parents) => {
    if (!isNode(node)) return
    if (!isAlias(node)) {
      if (node.anchor !== undefined) anchors.add(node.anchor)
      return
    }
    count += 1
    const refuse = (why: string) =>
      found.push({ offset: start(node), message: `*${shortened(node.source)} ${why}` })
    if (parents.some((one) => isNode(one) && !isAlias(one) && one.anchor !== undefined)) {
      refuse('is inside an anchored value, which may have no aliases')
    } else if (!anchors.has(node.source)) refuse('names no anchor before it')
    else if (count > MAX_ALIASES) refuse(`is one alias too many: a file may have ${MAX_ALIASES}`)
  })
  return found
}

/** The offset of the value or key with a problem; for one that is missing, that of its nearest parent. */
function locate(document: Document.Parsed, { path, of }: FileProblem): number {
  let node: unknown = document.contents
  let offset = start(node)
  for (const [depth, step] of path.entries()) {
    if (isAlias(node)) node = node.resolve(document)
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step))
      if (!isPair(pair)) break
      if (of === 'key' && depth === path.length - 1) return start(pair.key)
      node = pair.value
    } else if (isSeq(node)) node = node.items[Number(step)]
    else break
    offset = start(node) ?? offset
  }
  return offset
}

const start = (node: unknown): number => (node as Node | null | undefined)?.range?.[0] ?? 0
