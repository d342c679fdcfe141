/** The fenced code blocks of the README and of docs/. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

export interface Block {
  /** The page, such as `docs/webhooks.md`. */
  page: string
  /** The line of the opening fence. */
  line: number
  /** The language after the fence, such as `js`. */
  language: string
  code: string
  /** The file name, if the first line is a comment with one. */
  file: string | undefined
}

export const PAGES: readonly string[] = [
  'README.md',
  ...readdirSync(join(root, 'docs'))
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`),
]

/** Finds fences of three backticks, even in nested lists; an unclosed fence is an error. */
export function blocksOf(page: string): Block[] {
  const blocks: Block[] = []
  let open: (Block & { indent: string }) | undefined
  for (const [index, text] of readFileSync(join(root, page), 'utf8').split('\n').entries()) {
    const fence = /^( *)```(.*)$/.exec(text)
    if (open === undefined) {
      if (fence)
        open = {
          page,
          line: index + 1,
          indent: fence[1]!,
          language: fence[2]!.trim(),
          code: '',
          file: undefined,
        }
    } else if (fence) {
      const { indent, ...block } = open
      blocks.push({ ...block, file: /^(?:\/\/|#) ([\w.-]+\.[a-z]+)\n/.exec(block.code)?.[1] })
      open = undefined
    } else open.code += `${text.slice(open.indent.length)}\n`
  }
  if (open) throw new Error(`${page}:${open.line}: the block is not closed`)
  return blocks
}

/** For a table of tests: the page and line, and the block. */
export const named = (blocks: readonly Block[]) =>
  blocks.map((block) => [`${block.page}:${block.line}`, block] as [string, Block])
