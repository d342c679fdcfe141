import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { createSimulator } from '../../src/simulator.ts'

const documents = ['README.md', 'docs/scenarios.md']
  .map((path) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'))
  .join('\n')

test('the shell examples of the README run one after the other', async () => {
  const simulator = createSimulator()
  onTestFinished(() => simulator.close())
  const { url } = await simulator.listen()

  const script = examples('sh')
    .filter((code) => code.includes('curl'))
    .join('\n')
    .replaceAll('http://127.0.0.1:4100', url)
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script])
  expect(stdout).toContain('"status":"confirmed"')
  expect(stdout).toContain('idempotent-replayed: true')
  expect(stdout).toContain('"status":"completed"')
  expect(stdout).not.toMatch(/"error":"(?!Service Unavailable)/)
})

const examples = (language: string) =>
  [...documents.matchAll(new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``, 'g'))].map(([, code]) => code!)
