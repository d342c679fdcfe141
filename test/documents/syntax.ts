/** Parses code of other languages with their grammars, because most of these languages are not installed here. */
import { readFileSync } from 'node:fs'
import { Language, Parser } from 'web-tree-sitter'

/** A grammar is compiled when it is loaded, so the test files of a worker share it. */
const grammars = new Map<string, Promise<Language>>()

export async function hasMistake(language: string, code: string): Promise<boolean> {
  if (!grammars.has(language)) grammars.set(language, loaded(language))
  const grammar = (await grammars.get(language))!
  const parser = new Parser()
  parser.setLanguage(grammar)
  return parser.parse(code)!.rootNode.hasError
}

async function loaded(language: string): Promise<Language> {
  await Parser.init()
  const grammar = new URL(import.meta.resolve(`tree-sitter-wasms/out/tree-sitter-${language}.wasm`))
  return Language.load(readFileSync(grammar))
}
