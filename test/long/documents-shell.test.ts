/**
 * The shell examples of each page run unchanged against a running simulator. stand-in.mjs replaces requests to other machines.
 */
import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { verifyWebhook } from '../../src/service/webhooks/sign.ts'
import { SIGNING_SECRETS } from '../../src/spec/environments/environment.ts'
import { commandOptions } from '../../src/spec/options/option.ts'
import { START_OPTIONS } from '../../src/spec/options/simulator.ts'
import { type Block, blocksOf, named, PAGES } from '../documents/blocks.ts'
import { DEFAULT_ADDRESS, DEFAULT_API_KEY, serve, write } from '../documents/stage.ts'
import { freePort } from '../free-port.ts'
import { folder } from '../given.ts'
import { runPaysim } from '../process/paysim.ts'
import { served } from '../served.ts'

const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)

/** The receiver at localhost:3000 in the pages: verifies webhooks, handles each event once, and reports the count at /handled. */
async function openReceiver(): Promise<string> {
  const seen = new Set<string>()
  return served(async (request, response) => {
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
}

/** The reader's app, for `--app "node server.js"`. */
const appAt = (port: number): string =>
  `import { createServer } from 'node:http'; createServer((request, response) => response.end()).listen(${port})`

/** A PATH folder with stand-ins for commands that use the network or are not installed here. */
function standIns(): string {
  const bin = folder()
  for (const name of ['npx', 'npm', 'docker']) {
    const file = join(bin, name)
    writeFileSync(
      file,
      `#!/bin/sh\nexec "${process.execPath}" "${join(import.meta.dirname, '../documents/stand-in.mjs')}" ${name} "$@"\n`,
    )
    chmodSync(file, 0o755)
  }
  return bin
}

describe('a shell example can be pasted into a terminal', () => {
  const shell = PAGES.flatMap(shellOf)
  const linesOf = ({ code }: Block) => code.trimEnd().split('\n')

  /** At a prompt of zsh, the macOS default, `#` does not start a comment: its words become arguments or an unknown command. */
  test.for(named(shell))('%s has no comment that a terminal would run', ([, block]) => {
    expect(linesOf(block).filter((line) => /\S\s+# /.test(line))).toEqual([])
    expect(linesOf(block).filter((line) => /^\s*#.*['"`;()&|<>$!*?[\]{}~]/.test(line))).toEqual([])
  })

  /** A program that runs until Ctrl+C would read the following lines as its input. */
  test.for(named(shell))('%s runs a program that lasts until Ctrl+C only in its last line', ([, block]) => {
    const goesOn = /npm start|npx paysim (start|listen)|docker run (?!.*-d )/
    const others = linesOf(block).slice(0, -1)
    expect(others.filter((line) => goesOn.test(line) && !line.endsWith('&'))).toEqual([])
  })
})

test('each command in a sentence or an example has valid flags', async () => {
  const texts = PAGES.flatMap((page) => [
    ...readFileSync(join(root, page), 'utf8').matchAll(/`(?:npx )?paysim (\w+) ([^`]*)`/g),
    ...shellOf(page).flatMap(({ code }) => [...code.matchAll(/^npx paysim (\w+) (.*)$/gm)]),
  ])
  const given = texts.map(([, command, words]) => ({
    command: command!,
    flags: words!.split(/(?:^| )(?:--|\|) /)[0]!.match(/--[\w-]+/g) ?? [],
  }))
  expect(given.length).toBeGreaterThan(10)
  const commands = [...new Set(given.map(({ command }) => command))]
  const helps = await Promise.all(commands.map((command) => runPaysim([command, '--help'])))
  for (const { command, flags } of given)
    for (const flag of flags) expect(helps[commands.indexOf(command)]?.stdout).toContain(flag)
})

describe('the shell examples of a page run in order', () => {
  const pages = PAGES.filter((page) => shellOf(page).length > 0)

  test.each(pages)('%s', async (page) => {
    const [url, receiver] = [await serve(), await openReceiver()]
    const app = await freePort()
    const replace = (text: string) =>
      text
        .replaceAll(DEFAULT_ADDRESS, url)
        .replaceAll(/--ready http:.*? -- /g, (options) => options.replaceAll('3000', String(app)))
        .replaceAll('http://localhost:3000', receiver)
        .replaceAll('listen(3000)', 'listen(0)')
        .replaceAll('https://staging.example', url)
        .replaceAll('--api-key KEY', `--api-key ${DEFAULT_API_KEY}`)
        // The tour waits for 15 seconds of real time; test/fidelity runs it.
        .replaceAll('--filter tour', '--filter key-reused')
    const place = folder()
    // The checkout is next to the reader's project, as in the README.
    symlinkSync(root, join(place, 'paysim'))
    const cwd = write(page, join(place, 'project'), replace)
    writeFileSync(join(cwd, 'server.js'), appAt(app))
    // npm installs it in the project, so the shell does not find the command.
    mkdirSync(join(cwd, 'node_modules/.bin'), { recursive: true })
    symlinkSync(root, join(cwd, 'node_modules/paysim'))
    symlinkSync('../paysim/dist/main.js', join(cwd, 'node_modules/.bin/paysim'))
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
    // A page's own behaviors may return 503; any other error is a mistake in the page.
    expect(stdout).not.toMatch(/"error":"(?!Service Unavailable)/)
  })
})

const shellOf = (page: string) => blocksOf(page).filter(({ language }) => language === 'sh')
