/** The bundled scenarios with behaviors, read when a page first shows them. */
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { openBeside, parseScenario } from '../../sandbox/scenario-file/read.ts'
import { PACKAGE_ROOT } from '../../spec/package.ts'

export type BehaviorExample = Awaited<ReturnType<typeof readExample>>[number]

export type Library = ReturnType<typeof openLibrary>

const SCENARIOS = new URL('scenarios/', PACKAGE_ROOT)

export function openLibrary() {
  let examples: Promise<BehaviorExample[]> | undefined
  return () => {
    examples ??= readExamples()
    return examples
  }
}

async function readExamples(): Promise<BehaviorExample[]> {
  const files = (await readdir(SCENARIOS)).filter((file) => file.endsWith('.yaml'))
  const examples: BehaviorExample[] = []
  // Parsed one at a time: parsing all in one piece would block other requests for half a second.
  for (const file of files) examples.push(...(await readExample(file)))
  return examples.sort((a, b) => (a.name < b.name ? -1 : 1))
}

async function readExample(file: string) {
  const path = fileURLToPath(new URL(file, SCENARIOS))
  const yaml = await readFile(path, 'utf8')
  const { name, why, behaviors = [] } = parseScenario(yaml, path, openBeside)
  return behaviors.length === 0 ? [] : [{ file, name, why, yaml }]
}
