/** A package without its SQLite, as --ignore-scripts leaves it. */
import { execFile } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { pack } from './packed.ts'

const run = promisify(execFile)

test('says in a sentence what is missing, and what installs it', async () => {
  const { project, command, remove } = pack()
  onTestFinished(remove)
  for (const name of ['better-sqlite3', 'better-sqlite3-12']) {
    const path = join(project, 'node_modules', name)
    rmSync(path)
    mkdirSync(path)
    writeFileSync(join(path, 'package.json'), JSON.stringify({ name, main: 'not-compiled.js' }))
  }
  // A command that needs no simulator loads none.
  expect((await run(process.execPath, [command, 'sign', 'text'])).stdout).toContain('webhook-signature')
  const started = run(process.execPath, [command, 'start', '--port', '0'])
  await expect(started).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^SQLite is not installed for Node v\S+; npm install .+ installs it\.\n$/),
  })
})
