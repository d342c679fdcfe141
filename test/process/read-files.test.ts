/**
 * Commands read only regular files of at most 16 MB. They refuse anything else immediately, because reading it would block and
 * ignore SIGTERM.
 */
import { execFileSync } from 'node:child_process'
import { truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { folder } from '../given.ts'
import { runPaysim } from './paysim.ts'

function strangeFiles() {
  const at = folder()
  const [fifo, huge] = [join(at, 'fifo.yaml'), join(at, 'huge.yaml')]
  execFileSync('mkfifo', [fifo])
  writeFileSync(huge, '')
  truncateSync(huge, 300 * 1024 ** 2)
  return {
    at,
    files: { [fifo]: 'not a regular file', '/dev/zero': 'not a regular file', [huge]: 'larger than 16 MB' },
  }
}

describe('refuses a FIFO, a device and a huge file', () => {
  test.each([
    ['a scenario', (file: string) => ['run', file]],
    ['a scenario to lint', (file: string) => ['lint', file]],
    ['settings', (file: string) => ['run', '--config', file]],
    ['a profile', (file: string) => ['profile', '--check', file]],
    ['a fixture', (file: string) => ['start', '--port', '0', '--fixture', file]],
    ['behaviors', (file: string) => ['start', '--port', '0', '--scenario', file]],
    ['test values', (file: string) => ['start', '--port', '0', '--test-values', file]],
    ['a certificate', (file: string) => ['start', '--port', '0', '--tls-cert', file, '--tls-key', file]],
    ['a baseline', (file: string) => ['gauntlet', '--baseline', file, '--', 'true']],
    ['the last report', (file: string) => ['gauntlet', '--failed', '--report', `json=${file}`, '--', 'true']],
    ['a body', (file: string) => ['sign', `@${file}`]],
  ])('as %s', async (_, typed) => {
    for (const [file, why] of Object.entries(strangeFiles().files)) {
      const { code, stderr } = await runPaysim(typed(file))
      expect(code, stderr).toBeGreaterThan(0)
      expect(stderr).toContain(why)
    }
  })

  test('as the file in a use step', async () => {
    const { at, files } = strangeFiles()
    for (const [file, why] of Object.entries(files)) {
      const scenario = join(at, 'uses.yaml')
      writeFileSync(scenario, JSON.stringify({ name: 'uses', steps: [{ use: `${file}#setup` }] }))
      expect((await runPaysim(['lint', scenario])).stderr).toContain(why)
    }
  })
})
