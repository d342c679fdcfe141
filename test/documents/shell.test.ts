/**
 * The shell examples of each page run as they stand there, against a simulator that serves. What would leave this machine is
 * done by stand-in.mjs.
 */
import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { delimiter, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { verifyWebhook } from '../../src/service/webhooks/sign.ts'
import { SIGNING_SECRETS } from '../../src/spec/environments/environment.ts'
import { commandOptions } from '../../src/spec/options/option.ts'
import { START_OPTIONS } from '../../src/spec/options/simulator.ts'
import { folder } from '../process/folder.ts'
import { blocksOf, PAGES } from './blocks.ts'
import { DEFAULT_ADDRESS, DEFAULT_API_KEY, serve, write } from './stage.ts'

const run = promisify(execFile)

/** What a page calls localhost:3000: it verifies, handles each event once, and tells how many at /handled. */
async function openReceiver(): Promise<string> {
  const seen = new Set<string>()
  const server = createServer(async (request, response) => {
    if (request.url === '/handled') return response.end(String(seen.size))
    const body = await buffer(request)
    try {
      verifyWebhook(body, request.headers, { secret: SIGNING_SECRETS.staging })
    } catch {
      return response.writeHead(401).end()
    }
    const { id, type } = JSON.parse(body.toString())
    if (type.startsWith('refund.')) seen.add(id)
    response.writeHead(204).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Commands that would leave this machine, or that are not installed here, in a folder for PATH. */
function standIns(): string {
  const bin = folder()
  for (const name of ['paysim', 'npx', 'npm', 'docker']) {
    const file = join(bin, name)
    writeFileSync(
      file,
      `#!/bin/sh\nexec "${process.execPath}" "${join(import.meta.dirname, 'stand-in.mjs')}" ${name} "$@"\n`,
    )
    chmodSync(file, 0o755)
  }
  return bin
}

describe('the shell examples of a page run one after the other', () => {
  const pages = PAGES.filter((page) => shellOf(page).length > 0)

  test.each(pages)('%s', async (page) => {
    const [url, receiver] = [await serve(), await openReceiver()]
    const replace = (text: string) =>
      text
        .replaceAll(DEFAULT_ADDRESS, url)
        .replaceAll('http://localhost:3000', receiver)
        .replaceAll('listen(3000)', 'listen(0)')
        .replaceAll('https://staging.example', url)
        .replaceAll('--api-key KEY', `--api-key ${DEFAULT_API_KEY}`)
        // The tour takes 15 seconds of real waiting; test/process/learn.test.ts plays it.
        .replaceAll('--filter tour', '--filter key-reused')
    const place = folder()
    // Beside the project of the reader lies the checkout, as README has it.
    symlinkSync(join(import.meta.dirname, '../..'), join(place, 'paysim'))
    const cwd = write(page, join(place, 'project'), replace)
    mkdirSync(join(cwd, 'node_modules'))
    symlinkSync(join(import.meta.dirname, '../..'), join(cwd, 'node_modules/paysim'))
    const code = shellOf(page).map((block) => replace(block.code))
    const script = ["trap 'kill $(jobs -p) 2>/dev/null || :' EXIT", ...code].join('\n')
    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], {
      cwd,
      env: {
        ...process.env,
        PATH: `${standIns()}${delimiter}${process.env.PATH}`,
        SERVING: url,
        VARIABLES: commandOptions(START_OPTIONS)
          .map(({ env }) => env)
          .join(' '),
      },
    })
    // Trouble that a page asks for is a 503; any other error is a mistake of the page.
    expect(stdout).not.toMatch(/"error":"(?!Service Unavailable)/)
    if (page === 'README.md') {
      for (const said of ['"status":"confirmed"', 'idempotent-replayed: true', '"status":"completed"']) {
        expect(stdout).toContain(said)
      }
      expect(await (await fetch(`${url}/_sim/conduct`)).json()).toMatchObject({ findings: [] })
    }
  })
})

const shellOf = (page: string) => blocksOf(page).filter(({ language }) => language === 'sh')
