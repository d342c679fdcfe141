/** The behaviors that `paysim start --scenario` arms. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { behaviorsOfFiles } from '../../src/sandbox/behaviors/file-behaviors.ts'
import type { Environment } from '../../src/spec/environments/environment.ts'
import { folder } from '../given.ts'

const answering = (status: number | string) =>
  `name: Down\nbehaviors:\n  - { id: down-${status}, do: { respond: { status: ${status} } } }\n`

/** The ids of the behaviors in a folder with these files, by environment. */
async function idsIn(
  files: Record<string, string>,
  path = '.',
  env: Record<string, string> = {},
  environments: readonly Environment[] = ['staging'],
) {
  const read = await behaviorsOfFiles(join(folder(files), path), env, environments)
  return Object.fromEntries([...read].map(([name, behaviors]) => [name, behaviors.map(({ id }) => id)]))
}

test('are those of a file, or of all files in a folder', async () => {
  const files = {
    'b.yaml': answering(503),
    'a.yaml': answering(500),
    'c.yaml': 'name: Steps alone\nsteps: [{ call: GET /v1/checkouts }]\n',
  }
  expect(await idsIn(files, 'a.yaml')).toEqual({ staging: ['down-500'] })
  expect(await idsIn(files)).toEqual({ staging: ['down-500', 'down-503'] })
})

test('are for production if the file says so, and production is started', async () => {
  const files = {
    'a.yaml': answering(500),
    'b.yaml': `${answering(503)}sandbox: { environment: production }\n`,
  }
  expect(await idsIn(files, '.', {}, ['staging', 'production'])).toEqual({
    staging: ['down-500'],
    production: ['down-503'],
  })
  await expect(idsIn(files)).rejects.toThrow(/b\.yaml is for production, which is started with --production$/)
})

test('take environment variables', async () => {
  const file = { 'a.yaml': 'name: Env\nbehaviors: [{ id: "${env:WHO}-down", do: { fault: reset } }]\n' }
  expect(await idsIn(file, '.', { WHO: 'bank' })).toEqual({ staging: ['bank-down'] })
  await expect(idsIn(file)).rejects.toThrow('the environment variable WHO is not set')
})

test('are refused if a file is missing or has a mistake', async () => {
  await expect(idsIn({}, 'nowhere.yaml')).rejects.toThrow('file or folder not found')
  await expect(idsIn({ 'a.yaml': answering('soon') })).rejects.toThrow('must be a number')
})
