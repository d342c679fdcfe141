/** Parses code of other languages by their grammars: most of these languages are not installed here. */
import { readFileSync } from 'node:fs'
import { Language, Parser } from 'web-tree-sitter'

export async function hasMistake(language: string, code: string): Promise<boolean> {
  await Parser.init()
  const grammar = new URL(import.meta.resolve(`tree-sitter-wasms/out/tree-sitter-${language}.wasm`))
  const parser = new Parser()
  parser.setLanguage(await Language.load(readFileSync(grammar)))
  return parser.parse(code)!.rootNode.hasError
}
