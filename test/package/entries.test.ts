/** What an entry of the package loads, read from the built files. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

test('paysim/control loads little, and nothing of the server', () => {
  const dist = new URL('../../dist/', import.meta.url)
  expect(readdirSync(dist)).toContain('control-client.js')
  const loaded = closure(dist, 'control-client.js')
  const code = loaded.map((file) => readFileSync(new URL(file, dist), 'utf8')).join('\n')
  expect(code.length).toBeLessThan(24_000)
  expect(code).not.toMatch(/from "(?!\.\/|node:crypto")|require\(/)
})

/** A built file with all that it loads at once. */
function closure(dist: URL, file: string, seen = new Set<string>()): string[] {
  if (!seen.has(file)) {
    seen.add(file)
    const imported = readFileSync(new URL(file, dist), 'utf8').matchAll(
      /^(?:import|export) .*?"\.\/([^"]+)"/gm,
    )
    for (const [, name] of imported) closure(dist, name!, seen)
  }
  return [...seen]
}

test('a stack trace of the built code names its functions, on lines that one can read', async () => {
  const { createSimulator } = await import('paysim')
  let stack = ''
  try {
    createSimulator({ seed: -1 })
  } catch (error) {
    stack = (error as Error).stack!
  }
  expect(stack).toMatch(/at createSimulator .*dist\/[\w-]+\.js:\d+:\d+/)
  const columns = [...stack.matchAll(/dist\/[\w-]+\.js:\d+:(\d+)/g)].map(([, column]) => Number(column))
  expect(columns.length).toBeGreaterThan(2)
  for (const column of columns) expect(column).toBeLessThan(200)
})
