/** What an entry of the package loads, read from the built files. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

test('paysim/control loads little, and nothing of the server', () => {
  const dist = new URL('../../dist/', import.meta.url)
  expect(readdirSync(dist)).toContain('control-client.js')
  const loaded = closure(dist, 'control-client.js')
  const code = loaded.map((file) => readFileSync(new URL(file, dist), 'utf8')).join('\n')
  expect(code.length).toBeLessThan(20_000)
  expect(code).not.toMatch(/from "(?!\.\/)|require\(/)
})

/** A built file with all that it loads at once. */
function closure(dist: URL, file: string, seen = new Set<string>()): string[] {
  if (!seen.has(file)) {
    seen.add(file)
    const imported = readFileSync(new URL(file, dist), 'utf8').matchAll(/^import .*?"\.\/([^"]+)"/gm)
    for (const [, name] of imported) closure(dist, name!, seen)
  }
  return [...seen]
}
