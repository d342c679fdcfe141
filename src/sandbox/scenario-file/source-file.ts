/** A YAML or JSON file with the line and column of every value. */
import {
  Composer,
  type Document,
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  Parser,
  visit,
  type YAMLError,
} from 'yaml'
import { SCENARIO_MAX_DEPTH } from '../../spec/contract/limits.ts'
import { shortened } from '../../spec/contract/shortened.ts'
import { UsageError } from '../../spec/options/read.ts'
import { type FileProblem, MAX_PROBLEMS, TOO_DEEP } from './file-problem.ts'

/** 256 KB: larger than any written or recorded file, and small enough to parse malicious content quickly. */
const MAX_CHARS = 262_144

const MAX_ALIASES = 100

export interface LocatedProblem {
  file: string
  line: number
  column: number
  message: string
}

export class ScenarioError extends UsageError {
  readonly problems: readonly LocatedProblem[]

  constructor(problems: readonly LocatedProblem[]) {
    const ordered = inOrder(problems)
    super(ordered.map(problemLine).join('\n'))
    this.name = 'ScenarioError'
    this.problems = ordered
  }
}

export const problemLine = ({ file, line, column, message }: LocatedProblem): string =>
  `${file}:${line}:${column}: ${message}`

export const inOrder = (problems: readonly LocatedProblem[]): LocatedProblem[] =>
  [...problems].sort((a, b) => a.line - b.line || a.column - b.column)

export class SourceFile {
  readonly file: string
  /** The content as JSON. */
  readonly content: unknown
  readonly #document: Document.Parsed
  readonly #lines = new LineCounter()

  /** Throws {@link ScenarioError} for a text that is not YAML, or whose content is too large or too deep. */
  constructor(text: string, file: string) {
    this.file = file
    if (text.length > MAX_CHARS) throw this.#error([{ offset: 0, message: 'the file is larger than 256 KB' }])
    // The composer's own check for duplicate keys is quadratic; forbiddenIn() below is linear.
    const composer = new Composer({ uniqueKeys: false })
    const [first, second] = composer.compose(this.#tokens(text), true, text.length)
    const document = first as Document.Parsed
    const syntax: OffsetProblem[] = firstOfEachLine(
      [...document.errors, ...document.warnings],
      this.#lines,
    ).map((error) => ({ offset: error.pos[0], message: syntaxMessage(text, error) }))
    if (second) syntax.push({ offset: second.range[0], message: ONE_SCENARIO })
    if (syntax.length > 0) throw this.#error(syntax)
    const forbidden = forbiddenIn(document)
    if (forbidden.length > 0) throw this.#error(forbidden)
    this.#document = document
    this.content = document.toJS({ maxAliasCount: -1 })
  }

  locate({ path, of }: Pick<FileProblem, 'path' | 'of'>, message: string): LocatedProblem {
    return this.#at(offsetOf(this.#document, path, of), message)
  }

  /**
   * Stops at a level that is too deep before the composer sees it. The composer is recursive, and 4 KB of brackets were enough to
   * crash the process: V8 exits if it compiles a regular expression at the end of the stack.
   */
  *#tokens(text: string): ReturnType<Parser['parse']> {
    const parser = new Parser(this.#lines.addNewLine)
    this.#lines.addNewLine(0)
    for (const lexeme of new Lexer().lex(text)) {
      yield* parser.next(lexeme)
      if (parser.stack.length <= SCENARIO_MAX_DEPTH) continue
      const deep = parser.stack.filter((token) => 'items' in token)[SCENARIO_MAX_DEPTH]
      if (deep) throw this.#error([{ offset: deep.offset, message: TOO_DEEP }])
    }
    yield* parser.end()
  }

  #error(problems: readonly OffsetProblem[]): ScenarioError {
    return new ScenarioError(
      problems.slice(0, MAX_PROBLEMS).map(({ offset, message }) => this.#at(offset, message)),
    )
  }

  #at(offset: number, message: string): LocatedProblem {
    const { line, col } = this.#lines.linePos(offset)
    return { file: this.file, line: Math.max(line, 1), column: Math.max(col, 1), message }
  }
}

interface OffsetProblem {
  offset: number
  message: string
}

const ONE_SCENARIO = 'a file holds one scenario: remove the --- and what follows it'

/** The first error of each line. Later ones, and lines that only fail because of it, are omitted. */
function firstOfEachLine(errors: readonly YAMLError[], lines: LineCounter): YAMLError[] {
  const first = new Map<number, YAMLError>()
  for (const error of errors) {
    if (first.size > 0 && error.message.includes('in YAML stream')) continue
    const { line } = lines.linePos(error.pos[0])
    if (!first.has(line)) first.set(line, error)
  }
  return [...first.values()].slice(0, MAX_PROBLEMS)
}

function syntaxMessage(text: string, { pos: [offset], message, code }: YAMLError): string {
  const around = text.slice(Math.max(0, offset - 100), offset + 20).split('\n')
  const hasUnquotedPlaceholder = around.some((line) => /[{,][^"']*\$\{/.test(line))
  if (hasUnquotedPlaceholder) return 'between { } write "${name}" in quotes'
  if (code === 'BAD_SCALAR_START') return `a text that starts with ${text[offset]} needs quotes`
  if (code === 'UNEXPECTED_TOKEN' && message.endsWith('at node end'))
    return 'unexpected here; a text that contains [ ] { } or a quote must be quoted'
  const [line = ''] = text.slice(offset).split('\n', 1)
  if (code === 'BLOCK_AS_IMPLICIT_KEY' && !/:(\s|$)/.test(line))
    return 'the next line has a key and is indented too far: a key starts in the column of the previous key'
  if (message.startsWith('Flow '))
    return `a ${message.endsWith('}') ? '{' : '['} before this place is not closed`
  if (message === 'Sequence item without - indicator')
    return 'this line is indented like a list item, but does not start with -'
  return SYNTAX_MESSAGES[code] ?? message
}

/** Replaces the parser's messages, which use the terms of its grammar. */
const SYNTAX_MESSAGES: Partial<Record<YAMLError['code'], string>> = {
  BLOCK_AS_IMPLICIT_KEY: 'this is a second key in one line; a text with a colon and a space needs quotes',
  BLOCK_IN_FLOW:
    'this is a second key without a comma before it; a text with a colon and a space needs quotes',
  MULTILINE_IMPLICIT_KEY: 'a key needs a colon and a space behind it, in the same line',
}

/**
 * Keys that are given twice, and aliases that could multiply: one inside an anchored value could multiply its size exponentially,
 * so it is refused.
 */
function forbiddenIn(document: Document.Parsed): OffsetProblem[] {
  const found: OffsetProblem[] = []
  const refuse = (node: unknown, message: string) => found.push({ offset: start(node), message })
  const anchors = new Set<string>()
  let aliases = 0
  visit(document, (_, node, parents) => {
    if (!isNode(node)) return
    if (isMap(node)) {
      const seen = new Set<string>()
      for (const { key } of node.items) {
        const name = isScalar(key) ? String(key.value) : undefined
        if (name === undefined) refuse(key, 'a key must be a plain text')
        else if (seen.has(name)) refuse(key, `${shortened(name)} is given twice`)
        else seen.add(name)
      }
    }
    if (!isAlias(node)) {
      if (node.anchor !== undefined) anchors.add(node.anchor)
      return
    }
    aliases += 1
    const alias = `*${shortened(node.source)}`
    if (parents.some((parent) => isNode(parent) && !isAlias(parent) && parent.anchor !== undefined))
      refuse(node, `${alias} is inside an anchored value, which must not contain aliases`)
    else if (!anchors.has(node.source)) refuse(node, `${alias} refers to no earlier anchor`)
    else if (aliases > MAX_ALIASES)
      refuse(node, `${alias} is one alias too many: a file may have ${MAX_ALIASES}`)
  })
  return found
}

/** The offset of the wrong value or key; for a missing one, that of its nearest existing parent. */
function offsetOf(document: Document.Parsed, path: readonly PropertyKey[], of: FileProblem['of']): number {
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
