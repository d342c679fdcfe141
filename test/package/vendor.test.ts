/** The install lines of the README, and `npm ci` on another machine, that is, a copy of the repository with an empty cache. */
import { execFile, execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { blocksOf } from '../documents/blocks.ts'
import { folder } from '../given.ts'
import { spawnPaysim } from '../process/paysim.ts'
import { served } from '../served.ts'
import { homeOf } from './linked.ts'

const root = join(import.meta.dirname, '../..')

/** A registry with the packages installed in this checkout, one version of each. */
const openRegistry = () =>
  served((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, `http://${request.headers.host}`)
    const name = decodeURIComponent(pathname.slice(1))
    const at = homeOf(name)
    if (!existsSync(join(at, 'package.json'))) return response.writeHead(404).end('{}')
    if (searchParams.has('tarball')) {
      const files = ['--exclude=node_modules', '--exclude=build', '--transform=s,^\\.,package,', '.']
      return response.end(execFileSync('tar', ['-czf', '-', '-C', at, ...files], { maxBuffer: 2 ** 28 }))
    }
    const manifest = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8'))
    const dist = { tarball: `http://${request.headers.host}/${name}?tarball` }
    const versions = { [manifest.version]: { ...manifest, dist } }
    response.end(JSON.stringify({ name, 'dist-tags': { latest: manifest.version }, versions }))
  })

test('npm ci installs paysim from the repository, with an empty cache', async () => {
  const place = folder()
  const project = join(place, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{}')
  symlinkSync(root, join(place, 'paysim'))
  // Skip scripts: the package is already built, and SQLite need not be compiled.
  const env = { ...process.env, npm_config_registry: await openRegistry(), npm_config_ignore_scripts: 'true' }
  const inShell = (cwd: string, command: string) =>
    promisify(execFile)('sh', ['-ec', command], { cwd, env: { ...env, npm_config_cache: folder() } })
  const lines = blocksOf('README.md').find(({ code }) => code.includes('--pack-destination'))!.code
  await inShell(project, lines.replace('npx paysim start\n', ''))

  const clone = join(folder(), 'clone')
  cpSync(project, clone, { recursive: true, filter: (path) => !path.endsWith('node_modules') })
  await inShell(clone, 'npm ci')
  const command = join(clone, 'node_modules/.bin/paysim')
  const { code, stdout } = await spawnPaysim(['sign', 'text'], {}, { command, cwd: clone }).exited
  expect([code, stdout]).toEqual([0, expect.stringContaining('webhook-signature')])
})
