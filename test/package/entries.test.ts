/** The modules that each package entry loads, according to the built files. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const dist = new URL('../../dist/cjs/', import.meta.url)

test('paysim/control loads little code, and none of the server', () => {
  expect(readdirSync(dist)).toContain('control-client.cjs')
  const loaded = closure('control-client.cjs')
  const code = loaded.map((file) => readFileSync(new URL(file, dist), 'utf8')).join('\n')
  expect(code.length).toBeLessThan(24_000)
  expect(code).not.toMatch(/require\("(?!\.\/|node:crypto")/)
})

/** Returns a built file with all its static imports. */
function closure(file: string, seen = new Set<string>()): string[] {
  if (!seen.has(file)) {
    seen.add(file)
    const imported = readFileSync(new URL(file, dist), 'utf8').matchAll(/require\("\.\/([^"]+)"\)/g)
    for (const [, name] of imported) closure(name!, seen)
  }
  return [...seen]
}

test('a stack trace of the built code has function names, and lines of readable length', async () => {
  const { createSimulator } = await import('paysim')
  let stack = ''
  try {
    createSimulator({ seed: -1 })
  } catch (error) {
    stack = (error as Error).stack!
  }
  expect(stack).toMatch(/at createSimulator .*dist\/cjs\/[\w-]+\.cjs:\d+:\d+/)
  const frames = [...stack.matchAll(/dist\/cjs\/([\w-]+\.cjs):(\d+):\d+/g)]
  expect(frames.length).toBeGreaterThan(2)
  for (const [, file, line] of frames) {
    const lines = readFileSync(new URL(file!, dist), 'utf8').split('\n')
    expect(lines[Number(line) - 1]!.length).toBeLessThan(200)
  }
})
