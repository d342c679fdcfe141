/** The scenarios with behaviors that come with the program. They are read when a page first shows them. */
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { openBeside, parseScenario } from '../scenario-file/read.ts'
import type { BehaviorExample } from './behaviors.tsx'

export type Library = () => Promise<BehaviorExample[]>

export function openLibrary(folder: URL): Library {
  let examples: Promise<BehaviorExample[]> | undefined
  return () => {
    examples ??= readExamples(folder)
    return examples
  }
}

async function readExamples(folder: URL): Promise<BehaviorExample[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.yaml'))
  const examples: BehaviorExample[] = []
  // One after another: all at once they are parsed in one piece, which holds up other requests for half a second.
  for (const file of files) examples.push(...(await readExample(folder, file)))
  return examples.sort((one, other) => (one.name < other.name ? -1 : 1))
}

async function readExample(folder: URL, file: string): Promise<BehaviorExample[]> {
  const path = fileURLToPath(new URL(file, folder))
  const yaml = await readFile(path, 'utf8')
  const { name, why, behaviors = [] } = parseScenario(yaml, path, openBeside)
  return behaviors.length === 0 ? [] : [{ file, name, why, yaml }]
}
