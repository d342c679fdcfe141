/** The command: its banner, its exit, and its refusals. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { folder } from '../given.ts'
import { ORDER } from '../order.ts'
import { servedBytes } from '../served.ts'
import { COMMAND, outputOf, runPaysim, saying, spawnPaysim, startPaysim } from './paysim.ts'

const DOCS = fileURLToPath(new URL('../../docs/README.md', import.meta.url))

describe('paysim start', () => {
  test('prints its address and key, reports its version, and refuses a sandbox of production', async () => {
    const { url, said, call } = await startPaysim()
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*$/)
    expect(said.stdout).toBe(
      [
        `paysim serves on ${url}`,
        '  x-api-key   sk_staging_default',
        `  dashboard   ${url}/_sim/ui`,
        '  rate limit  100 requests a minute for each IP, like staging; --rate-limit off lifts it',
        '  webhooks    not sent; set --webhook-url URL, or run paysim listen',
        '  data        in memory only; --data FOLDER keeps it',
        `  docs        ${DOCS}`,
        '',
      ].join('\n'),
    )
    expect((await call('GET', '/healthz')).status).toBe(200)

    const { stdout, code } = await runPaysim(['--version'])
    const { version } = manifest
    expect([stdout, code]).toEqual([`${version}\n`, 0])
    expect((await call('GET', '/_sim')).body).toMatchObject({ name: 'paysim', version })
    expect((await call('GET', '/_sim/openapi.json')).body.info.version).toBe(version)

    const refused = await call('POST', '/_sim/sandboxes', { environment: 'production' })
    expect(refused).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('paysim start --production serves production') },
    })
  })

  test('with --port 0, two processes get different ports, and a used port is refused', async () => {
    const [first, second] = await Promise.all([startPaysim(), startPaysim()])
    await first.call('POST', '/v1/checkouts', ORDER)
    expect((await second.call('GET', '/v1/checkouts')).body.data).toEqual([])
    const { port } = new URL(first.url)
    const { stderr } = await runPaysim(['start', '--port', port])
    expect(stderr).toBe(
      `Port ${port} on 127.0.0.1 is in use by another paysim. Pass --port 0 for any free port.\n`,
    )
  })

  test('prints where webhooks go, where data is stored, the settings file, and its own rate limit', async () => {
    const data = folder()
    const settings = join(folder(), 'paysim.yaml')
    writeFileSync(settings, 'fixture: demo\n')
    const { said } = await startPaysim([
      ...['--config', settings],
      ...['--webhook-url', 'http://127.0.0.1:9/hooks', '--webhook-events', 'refund.*'],
      ...['--data', data, '--rate-limit', '7'],
    ])
    expect(said.stdout).toContain(
      '\n  rate limit  7 requests a minute for each IP; --rate-limit off lifts it\n',
    )
    expect(said.stdout).toContain('\n  webhooks    http://127.0.0.1:9/hooks (refund.*)\n')
    expect(said.stdout).toContain(`\n  settings    ${settings}\n  fixture     demo\n  data        ${data}\n`)
  })

  test('serves production at a second address, calls it a simulation, and prints its settings', async () => {
    const environment = { PAYSIM_PRODUCTION_RATE_LIMIT: '7', PAYSIM_SANDBOXES: 'shop,production.shop' }
    const { url, said, stop } = await startPaysim(
      ['--production', '--production-port', '0', '--production-api-key', 'sk_mine'],
      environment,
    )
    const [, production] = [...said.stdout.matchAll(/^paysim serves on (\S+)$/gm)].map(([, at]) => at!)
    expect(said.stdout.split('\n').slice(5)).toEqual([
      `paysim serves on ${production}`,
      '  A simulation of production. No money moves and no message leaves this machine.',
      '  x-api-key   sk_mine',
      `  dashboard   ${production}/_sim/ui`,
      '  rate limit  7 requests a minute for each IP; --production-rate-limit off lifts it',
      '  webhooks    not sent; set --production-webhook-url URL, or run paysim listen',
      '  data        in memory only; --data FOLDER keeps it',
      `  docs        ${DOCS}`,
      '',
    ])
    const status = async (at: string, key: string) =>
      (await fetch(`${at}/v1/checkouts`, { headers: { 'x-api-key': key } })).status
    expect(await status(production!, 'sk_mine')).toBe(200)
    expect(await status(production!, 'sk_live_shop')).toBe(200)
    expect(await status(url, 'sk_staging_shop')).toBe(200)
    expect(await status(url, 'sk_mine')).toBe(401)
    expect(await status(production!, 'sk_staging_default')).toBe(401)
    expect(await stop()).toMatchObject({ code: 0 })
  })

  test.each([
    ['--tls-cert', 'tlsKey must be given with tlsCert'],
    ['--tls-key', 'tlsCert must be given with tlsKey'],
  ])('refuses a lone %s before it opens the folder of --data', async (flag, refusal) => {
    const data = join(folder(), 'data')
    const { code, stderr } = await runPaysim(['start', '--port', '0', flag, 'some.pem', '--data', data])
    expect([code, stderr]).toEqual([2, expect.stringContaining(refusal)])
    expect(existsSync(data)).toBe(false)
  })

  test('the first 429 logs one line with the fix, and later ones log nothing', async () => {
    const { call, said, stop } = await startPaysim(['--rate-limit', '2', '--log', 'json'])
    const answers = []
    for (let count = 0; count < 5; count += 1) answers.push((await call('GET', '/v1/checkouts')).status)
    expect(answers).toEqual([200, 200, 429, 429, 429])
    await stop()
    const warned = logged(said.stderr).filter(({ level }) => level === 'warn')
    expect(warned).toHaveLength(1)
    expect(warned[0]).toMatchObject({
      message:
        '429 for 127.0.0.1: more than 2 requests a minute for each IP. --rate-limit N or off changes it.',
      sandbox: 'default',
    })
  })

  test('every response logs one line with the id of its request', async () => {
    const { call, said, stop } = await startPaysim(['--log', 'json'])
    const { headers } = await call('POST', '/v1/checkouts', ORDER, 'k')
    await call('GET', '/v1/checkouts?limit=1&key=sk%5Fstaging_default&access_token=token-1')
    await call('GET', '/v1/checkouts', undefined, undefined, { 'x-sim': 'fault=reset' }).catch(() => {})
    await stop()
    expect(headers.get('x-sim-request')).toBe('req_1')
    const usual = { level: 'info', sandbox: 'default', time: expect.any(String), ms: expect.any(Number) }
    expect(logged(said.stderr)).toEqual([
      { ...usual, request: 'req_1', message: 'POST /v1/checkouts 201' },
      { ...usual, request: 'req_2', message: 'GET /v1/checkouts?limit=1&key=••••&access_token=•••• 200' },
      {
        ...usual,
        request: 'req_3',
        message: 'GET /v1/checkouts not answered',
        behaviors: ['X-Sim'],
        fault: 'reset',
      },
    ])
  })
})

test.for(['leaves', 'sleeps'] as const)(
  'if the reader of the log %s, the server still serves and stops',
  async (how) => {
    const paysim = spawnPaysim(['start', '--port', '0', '--log', 'json', '--rate-limit', 'off'])
    await saying(paysim, 'rate limit')
    const { child, said } = paysim
    const [url] = /http:\/\/\S+/.exec(said.stdout)!
    if (how === 'leaves') child.stderr.destroy()
    else child.stderr.removeAllListeners('data').pause()

    const headers = { 'x-api-key': 'sk_staging_default' }
    const ask = async () => (await fetch(`${url}/v1/customers?of=${'x'.repeat(500)}`, { headers })).status
    for (let round = 0; round < 20; round += 1) {
      expect(await Promise.all(Array.from({ length: 25 }, ask))).toEqual(Array(25).fill(200))
    }
    const exited = once(child, 'exit')
    child.kill('SIGTERM')
    expect(await exited).toEqual([0, null])
  },
)

const logged = (stderr: string) =>
  stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

describe('after a signal', () => {
  test.for(['SIGTERM', 'SIGINT'] as const)(
    'by %s, it finishes requests in flight and exits with 0',
    async (signal) => {
      const { call, held, end } = await startPaysim()
      const inFlight = call('POST', '/v1/checkouts', ORDER, 'k', { 'x-sim': 'hold=gate' })
      await held('gate')
      expect(await end(signal)).toMatchObject({ code: 0, signal: null, stderr: '' })
      expect((await inFlight).status).toBe(201)
    },
  )

  // SIGKILL ends npm without notifying its shell, which keeps running. Only Linux reports which process started that shell.
  test.for([
    ['SIGTERM', 'npx', 'paysim', 'start', '--port', '0', '--log', 'silent'],
    ['SIGTERM', 'npm', 'run', 'sim'],
    ...(process.platform === 'linux' ? [['SIGKILL', 'npm', 'run', 'sim']] : []),
  ])('after %s to %s, paysim stops too', async ([signal, program, ...args]) => {
    const cwd = folder()
    mkdirSync(join(cwd, 'node_modules/.bin'), { recursive: true })
    symlinkSync(COMMAND, join(cwd, 'node_modules/.bin/paysim'))
    writeFileSync(
      join(cwd, 'package.json'),
      JSON.stringify({ scripts: { sim: 'paysim start --port 0 --log silent' } }),
    )
    const child = spawn(program!, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
    const started = outputOf(child)
    onTestFinished(() => {
      if (!child.stdout.closed) process.kill(-child.pid!, 'SIGKILL')
    })
    await saying(started, 'docs')
    child.kill(signal as NodeJS.Signals)
    // The output closes once the last process that writes to it has exited.
    await started.exited
  })

  test('it immediately closes idle connections, and soon those with an incomplete request', async () => {
    const { url, end } = await startPaysim()
    const closed: string[] = []
    const open = (name: string, sent: string) => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1')
      socket.on('error', () => {}).once('close', () => closed.push(name))
      socket.write(sent)
      return socket
    }
    const half = 'POST /v1/checkouts HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 9\r\n\r\n'
    const sockets = [open('half', half)]
    await once(sockets[0]!, 'data')
    sockets.push(open('idle', 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n'))
    await once(sockets[1]!, 'data')
    sockets.push(open('silent', ''), open('silent', 'GET /healthz HT'))
    // Connections are accepted in order, so a response on the last one means that all are accepted.
    expect((await fetch(`${url}/healthz`)).status).toBe(200)

    const all = Promise.all(sockets.map((socket) => once(socket.resume(), 'close')))
    expect(await end('SIGTERM')).toMatchObject({ code: 0, stderr: '' })
    await all
    expect(closed.toSorted()).toEqual(['half', 'idle', 'silent', 'silent'])
    expect(closed.at(-1)).toBe('half')
  })
})

describe('paysim health', () => {
  test.each([
    ['asks for another protocol', 'HTTP/1.1 101 Switching Protocols\r\n\r\n', 'answered 101.'],
    ['says nothing', '', 'did not respond within 2 s.'],
    ['hangs up', null, 'socket hang up'],
  ])('prints a message and exits with 1 if the server there %s', async (_, answer, message) => {
    const url = await servedBytes((socket) =>
      socket.once('data', () => (answer === null ? socket.end() : socket.write(answer))),
    )
    const { port } = new URL(url)
    const { code, stdout, stderr } = await runPaysim(['health', '--port', port])
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(new RegExp(`^.*\\b${port}\\b.*${message}\\n$`))
  })
})

/** A command line, the expected message, and variables. */
const WRONG: readonly [line: string, sentence: string, variables?: Record<string, string>][] = [
  ['start --port 65536', '--port must be a whole number from 0 to 65535, not "65536".'],
  ["start --host ''", '--host must be an address such as 127.0.0.1 or 0.0.0.0, not "".'],
  ["start --data ''", '--data must be a folder, not "".'],
  ['start --data package.json', 'data must be a writable folder, not "package.json".'],
  ['start --durability never', '--durability must be commit or process, not "never".'],
  [
    'start --webhook-events refund.failed',
    '--webhook-events must be an event type such as refund.completed or refund.*, not "refund.failed".',
  ],
  ['start --sandbox a/b', '--sandbox must be a name of 1 to 63 letters, digits, - and _, not "a/b".'],
  [
    'start --sandbox a --sandbox a',
    '--sandbox must be names that differ from each other and from "default", not ["a","a"].',
  ],
  ['start --log loud', '--log must be pretty, json or silent, not "loud".'],
  ['start', 'PAYSIM_PORT must be a whole number from 0 to 65535, not "web".', { PAYSIM_PORT: 'web' }],
  ['start', 'PAYSIM_TRUST_PROXY must be true or false, not "maybe".', { PAYSIM_TRUST_PROXY: 'maybe' }],
  [
    'start',
    'PAYSIM_SANDBOXES must be a name of 1 to 63 letters, digits, - and _, not "".',
    { PAYSIM_SANDBOXES: 'a,' },
  ],
  ['start --webhook-events refund.*', 'Missing --webhook-url: the URL that events are delivered to.'],
  ['start --port', 'Missing value of --port <PORT>'],
  ['start --prot 1', "Unknown option '--prot'; did you mean --port?"],
  ['start --bundled', "Unknown option '--bundled'; paysim start takes what --help lists"],
  [
    'start --host 300.1.1.1 --port 0',
    '300.1.1.1 is not an address of this machine. Use 127.0.0.1 or 0.0.0.0.',
  ],
  ['start --data /proc/x', 'data must be a writable folder, not "/proc/x".'],
  ["start --admin-token ''", '--admin-token must be a token.'],
  ['start --production --port 4101', '--port and --production-port are both 4101. Use 0 for any free port.'],
  [
    'start now',
    "Too many arguments for 'start'. Expected 0 arguments but got 1; an example is paysim start --fixture demo",
  ],
  ['sgin', "Unknown command 'sgin'; did you mean sign?"],
  [
    'begin',
    "Unknown command 'begin'; paysim takes start, health, init, exec, gauntlet, audit, explain, run, lint, record, listen, grade, sign, fidelity, profile, mcp, completion, help",
  ],
  [
    'audit --api-key k',
    "Unknown option '--api-key'; paysim audit takes --help, --target, --admin-token, --sandbox, --ignore, --idle, --report, --config, --no-config",
  ],
  ['help sgin', "Unknown command 'sgin'; did you mean sign?"],
  [
    'gauntlet --quick',
    "Missing required argument 'command'; an example is paysim gauntlet --quick -- npm test",
  ],
  ['exec', "Missing required argument 'command'; an example is paysim exec -- npm test"],
  [
    'fidelity',
    'Missing --target URL or recording. Example: paysim fidelity --target https://staging.example',
  ],
  ['fidelity --proxy 0', 'Missing --target URL: the service that --proxy forwards to.'],
  [
    'fidelity a.har --target http://127.0.0.1:1',
    'A recording cannot be combined with --target or --proxy: it is compared offline.',
  ],
  ['record --target here', '--target must be an http or https URL, not "here".'],
  [
    'gauntlet --baseline /nowhere/it --update-baseline -- true',
    'The baseline /nowhere/it cannot be written: there is no folder /nowhere.',
  ],
]

const asTyped = (line: string) => line.match(/'[^']*'|\S+/g)!.map((word) => word.replaceAll("'", ''))

describe('a wrong option gets a message with the fix, and exit code 2', () => {
  test.for(WRONG)('%s %j', async ([line, sentence, variables]) => {
    expect(await runPaysim(asTyped(line), variables)).toEqual({
      code: 2,
      stdout: '',
      stderr: `${sentence}\n`,
    })
  })
})

test('without a command, the list of commands is printed, and the help of a command describes its options', async () => {
  expect(await runPaysim([])).toMatchObject({ code: 2, stderr: expect.stringContaining('start [options]') })
  expect(await runPaysim(['help', 'health'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('port that paysim listens on (4100; PAYSIM_PORT)'),
  })
})

test('a reader that closes the output ends the command quietly', async () => {
  const { child, exited } = spawnPaysim(['lint', '--schema'])
  child.stdout.destroy()
  expect(await exited).toMatchObject({ code: 0, stderr: '' })
})

test('an output that cannot be written is one sentence without a stack', async () => {
  const full = spawn('bash', ['-c', `"$@" > /dev/full`, 'bash', process.execPath, 'dist/main.js', 'profile'])
  const [said, [code]] = await Promise.all([text(full.stderr), once(full, 'close')])
  expect([code, said]).toEqual([1, 'The output cannot be written: ENOSPC: no space left on device, write.\n'])
})

test('flags and variables are equivalent, flags win, and an unknown variable is reported on one line', async () => {
  const environment = {
    ...{ PAYSIM_API_KEY: 'sk_env', PAYSIM_SEED: '7', PAYSIM_RATE_LIMIT: '5', PAYSIM_HOST: '' },
    ...{ PAYSIM_RATELIMIT: 'off', PAYSIM_PRODUCTION_CLOK: 'frozen', PAYSIM_NONSENSE: '1' },
  }
  const { call, said, stop } = await startPaysim(['--api-key', 'sk_flag', '--log', 'json'], environment)
  const { body } = await call('GET', '/_sim/sandboxes/default')
  expect(body).toMatchObject({ apiKey: 'sk_flag', seed: 7, rateLimit: 5 })
  await stop()
  const warned = logged(said.stderr).filter(({ level }) => level === 'warn')
  expect(warned.map(({ message }) => message).toSorted()).toEqual([
    'PAYSIM_NONSENSE is unknown and ignored',
    'PAYSIM_PRODUCTION_CLOK is unknown and ignored; did you mean PAYSIM_PRODUCTION_CLOCK?',
    'PAYSIM_RATELIMIT is unknown and ignored; did you mean PAYSIM_RATE_LIMIT?',
  ])
})

describe('paysim run', () => {
  test('without paths and without a folder named scenarios, suggests --bundled', async () => {
    const { code, stderr } = await runPaysim(['run'], {}, folder())
    expect([code, stderr]).toEqual([
      2,
      'No folder named scenarios here. Name one, or use the bundled scenarios: paysim run --bundled\n',
    ])
  })

  test('without paths, runs the folder named scenarios, and with --bundled the bundled ones', async () => {
    const cwd = folder()
    mkdirSync(join(cwd, 'scenarios'))
    const scenario = 'name: mine\nsteps:\n  - { call: GET /v1/checkouts }\n'
    writeFileSync(join(cwd, 'scenarios/mine.yaml'), scenario)
    const result = await runPaysim(['run'], {}, cwd)
    expect([result.code, result.stdout]).toEqual([0, expect.stringContaining('mine')])
    const bundled = await runPaysim(['run', '--bundled', '--filter', 'key-reused'], {}, cwd)
    expect(bundled.code).toBe(0)
    expect(bundled.stdout).not.toContain('mine')
  })
})

test('an invalid fixture is reported with its path', async () => {
  const place = folder()
  const [invalid, unreadable] = [join(place, 'invalid.yaml'), join(place, 'unreadable.yaml')]
  writeFileSync(invalid, 'checkouts: [{ orderId: o }]')
  writeFileSync(unreadable, 'checkouts: [')
  const ends = await Promise.all(
    [invalid, unreadable, 'nowhere.yaml'].map((path) =>
      runPaysim(['start', '--port', '0', '--fixture', path]),
    ),
  )
  expect(ends).toMatchObject(
    [
      `The fixture ${invalid} cannot be used: Missing required field: fixture.checkouts.0.externalId\n`,
      expect.stringContaining('at line 1'),
      '--fixture names a file that does not exist: nowhere.yaml; demo comes with paysim.\n',
    ].map((stderr) => ({ code: 2, stderr })),
  )
})

describe('paysim profile', () => {
  test('prints a profile that --check accepts, and start serves a changed one', async () => {
    const { stdout: printed, code } = await runPaysim(['profile'])
    expect(code).toBe(0)
    const file = join(folder(), 'profile.yaml')
    writeFileSync(file, printed)
    expect(await runPaysim(['profile', '--check', file])).toMatchObject({
      stdout: 'It changes nothing.\n',
      code: 0,
    })
    writeFileSync(file, printed.replace('checkout: chk_', 'checkout: pay-'))
    const { call } = await startPaysim(['--profile', file])
    expect((await call('POST', '/v1/checkouts', ORDER)).body.id).toMatch(/^pay-/)
    writeFileSync(file, 'ids: { lenght: 12 }')
    const lines = [
      ['profile', '--check', file],
      ['start', '--port', '0', '--profile', file],
    ]
    for (const line of lines)
      expect(await runPaysim(line)).toMatchObject({
        stderr: `${file}:1:8: ids.lenght is unknown here; did you mean length?\n`,
        code: 2,
      })
  })
})
