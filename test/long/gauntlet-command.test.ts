/** `paysim gauntlet` as a process, with tests of a few lines: what it passes to them, how it judges them, and how it exits. */
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync, watch, writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { runChild } from '../../src/tools/gauntlet/child.ts'
import { folder as temporaryFolder } from '../given.ts'
import { runPaysim } from '../process/paysim.ts'
import { exec, gauntlet, SUITE, spawned } from '../process/suite-of-lines.ts'
import { servedBytes } from '../served.ts'

const OWN_TROUBLE = `name: The first confirm is slow
behaviors: [{ when: { op: checkouts.confirm }, times: 1, do: { delay: 10ms } }]
`

describe('paysim gauntlet', () => {
  test('distinguishes tests that misbehave, fail, and move money twice', async () => {
    const only = [
      '--only',
      'answer-lost-once,in-flight-once,answer-lost:capture',
      '--only',
      'refund-immediate',
    ]
    const careless = gauntlet([...only, '--report', 'json=report.json'], SUITE, { RETRIES: '3' })
    const { code, stdout } = await careless.exited
    expect(stdout).toMatch(
      /^The baseline run passed in (\d+ ms|\d+\.\d s): 1 order, 2 movements of money\. Now with 4 troubles/,
    )
    expect(stdout).toMatch(
      /^money wrong +answer-lost-once +3× .*\n +order-7 was refunded twice, \$25\.00 too much: req_\d+ repeats req_\d+, whose answer was lost, without a key \(C1\)\.$/m,
    )
    // In this run its money is right, but it sends no Idempotency-Key.
    expect(stdout).toMatch(/^audit failed +refund-immediate +1× .*\n +C1, as in the baseline run$/m)
    expect(stdout).toMatch(
      /^Already in the baseline run, C1: checkouts\.\w+ was sent without an Idempotency-Key/m,
    )
    // The list of fixes is printed last, wrong money first.
    expect(stdout).toMatch(
      /\nWhat to fix:\nC1 in \d runs and in the baseline run, money wrong: .* → Send a random .*\n {2}see answer-lost-once: order-7 was/,
    )
    // The tests capture nothing, so no run starts.
    expect(stdout).toMatch(/^not exercised +answer-lost:capture {2,}The/m)
    expect(code).toBe(1)
    const { troubles } = JSON.parse(readFileSync(join(careless.folder, 'report.json'), 'utf8'))
    expect(troubles.map(({ name, verdict }: Record<string, unknown>) => [name, verdict])).toEqual([
      ['answer-lost-once', 'money wrong'],
      ['answer-lost:capture', 'not exercised'],
      // It treats a 409 as success, so the money of its order is missing although no test fails.
      ['in-flight-once', 'money wrong'],
      ['refund-immediate', 'audit failed'],
    ])
  })

  test('runs one trouble of each kind plus those of files', async () => {
    const folder = temporaryFolder()
    const report = join(folder, 'report.json')
    writeFileSync(join(folder, 'own.yaml'), OWN_TROUBLE)
    const flags = ['--quick', '--trouble', join(folder, 'own.yaml'), '--budget', '0s']
    const { code, stdout } = await gauntlet([...flags, '--report', `json=${report}`], SUITE).exited
    // Troubles beyond the budget are not run, so the result is not green.
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^11 not run: nothing was tested, in /m)])
    const { troubles } = JSON.parse(readFileSync(report, 'utf8'))
    const names = troubles.map(({ name }: { name: string }) => name)
    expect(names).toEqual(expect.arrayContaining(['answer-lost-once', 'rate-limit-once', 'own']))
    // The suite sends no such request and receives no webhooks, so these troubles cannot occur.
    expect(names.filter((name: string) => /^(webhook|reads)/.test(name))).toEqual([])
  })

  test('gives each run its own sandbox, a free port for webhooks and the name of its trouble', async () => {
    // Without these names, Python, curl and Go would send requests to paysim through a proxy.
    const proxies = ['NO_PROXY', 'no_proxy']
    const names = ['PAYSIM_TROUBLE', 'PAYSIM_URL', 'PAYSIM_WEBHOOK_URL', 'PAYSIM_WEBHOOK_PORT', ...proxies]
    const { folder, exited } = gauntlet(
      ['--only', 'refund-never', '--jobs', '1'],
      `import { appendFileSync, readFileSync } from 'node:fs'
      ${SUITE}
      const { patienceMs = 0 } = JSON.parse(readFileSync(process.env.PAYSIM_GAUNTLET + '/run.json', 'utf8'))
      // It names no sandbox, so it gets the one of the run. Money from before its reset counts too.
      await fetch(PAYSIM_URL + '/_sim/reset', { method: 'POST' })
      const left = await fetch(PAYSIM_URL + '/_sim/ledger').then((response) => response.json())
      const second = await post('', { orderId: 'order-8', externalId: 'ada', amount: 30, ...urls })
      await post('/' + second.id + '/confirm', {})
      const seen = ${JSON.stringify(names)}.map((name) => process.env[name])
      appendFileSync('seen.txt', [...seen, left.movements.length, patienceMs].join(' ') + '\\n')`,
      { HTTP_PROXY: 'http://127.0.0.1:9', NO_PROXY: '.shop.example', no_proxy: '' },
    )
    const { stdout } = await exited
    expect(stdout).toMatch(/^The baseline run passed in .*: 2 orders, 3 movements of money\./)
    const [calm, again, never] = readFileSync(join(folder, 'seen.txt'), 'utf8').trim().split('\n')
    const past = '.shop.example,127.0.0.1,localhost'
    const results = `http://127.0.0.1:\\d+ http://127.0.0.1:(\\d+)/webhooks \\1 ${past} ${past} 0`
    expect(calm).toMatch(new RegExp(`^calm ${results} 0$`))
    // A test runner's default of five seconds may be too short, because other runs share the machine.
    expect(again).toMatch(new RegExp(`^calm ${results} 30000$`))
    expect(never).toMatch(new RegExp(`^refund-never ${results} 40000$`))
    expect(new Set([calm, again, never]).size).toBe(3)
  })

  test.for<[string, string, RegExp]>([
    [
      'fail in the baseline run',
      'throw new Error("broken by itself")',
      /broken by itself[\s\S]*fails without any trouble: exit code 1/,
    ],
    [
      'move no money',
      `await fetch(process.env.PAYSIM_URL + '/v1/customers', { headers: { 'x-api-key': process.env.PAYSIM_API_KEY } })`,
      /has moved no money: .* at least one test must pay for an order there\.$/m,
    ],
    [
      'ask nothing',
      '',
      /The command passes\. Its tests sent nothing to paysim\. .* PAYSIM_URL and PAYSIM_API_KEY/,
    ],
  ])('does not start if the tests %s', async ([, suite, sentence]) => {
    const { code, stdout, stderr } = await gauntlet([], suite).exited
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(sentence)
  })

  test('runs one test command at a time if the tests receive webhooks at a fixed port', async () => {
    const { stdout } = await gauntlet(
      ['--only', 'refund-never', '--budget', '0s'],
      `import { createServer } from 'node:http'
      const receiver = createServer((_, answer) => answer.end())
      let port = 19_000
      receiver.on('error', () => receiver.listen(++port)).on('listening', async () => {
        const url = 'http://localhost:' + port + '/hooks'
        const headers = { 'content-type': 'application/json' }
        await fetch(PAYSIM_URL + '/_sim/webhook', { method: 'PUT', headers, body: JSON.stringify({ url }) })
        await sell()
        await fetch(PAYSIM_URL + '/_sim/settle', { method: 'POST' })
        receiver.close()
      }).listen(port)
      ${SUITE.replace('const { id }', 'const sell = async () => {\n  const { id }')} }`,
    ).exited
    expect(stdout).toMatch(
      / Now with 1 trouble, 1 at a time, as all runs use http:\/\/localhost:19\d+\/hooks\.$/m,
    )
  })

  test('reports that a command cannot be started', async () => {
    // An unreadable folder in PATH causes EACCES.
    const { code, stderr } = await runPaysim(['gauntlet', '--', 'no-such-runner'])
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^Cannot start no-such-runner: (no such command|.*EACCES)/),
    ])
  })

  describe('a script of package.json', () => {
    const shop = { name: 'shop', version: '1.2.3', scripts: { test: 'suite.mjs', pay: 'suite.mjs' } }

    /** A project with the suite as an installed program, and a PATH with Node and a shell, but without npm. */
    function project(manifest: object, settings = '') {
      const folder = temporaryFolder()
      const [programs, installed] = [join(folder, 'programs'), join(folder, 'node_modules/.bin')]
      for (const path of [programs, installed]) mkdirSync(path, { recursive: true })
      symlinkSync(process.execPath, join(programs, 'node'))
      symlinkSync('/bin/sh', join(programs, 'sh'))
      writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
      writeFileSync(join(folder, '.npmrc'), settings)
      const suite = `#!/usr/bin/env node
        import { appendFileSync } from 'node:fs'
        const { npm_lifecycle_event, npm_package_version, INIT_CWD } = process.env
        appendFileSync('seen.txt', [npm_lifecycle_event, npm_package_version, INIT_CWD].join() + '\\n')
        ${SUITE}`
      writeFileSync(join(installed, 'suite.mjs'), suite, { mode: 0o755 })
      const run = (...command: string[]) =>
        runPaysim(
          ['gauntlet', '--only', 'refund-never', '--', ...command],
          { PATH: programs, TMPDIR: folder, HOME: folder },
          folder,
        )
      return { folder, run }
    }

    test.for([
      ['test', ['npm', 'test']],
      ['pay', ['npm', 'run', 'pay']],
    ] as const)('%s runs as npm would run it, without npm', async ([script, command]) => {
      const { folder, run } = project(shop)
      const { stdout } = await run(...command)
      expect(stdout).toMatch(/^The baseline run passed .*: 1 order, 2 movements of money\./)
      const seen = readFileSync(join(folder, 'seen.txt'), 'utf8').trim().split('\n')
      expect(new Set(seen)).toEqual(new Set([`${script},1.2.3,${realpathSync(folder)}`]))
    })

    test.for<[string, object, string?, string[]?]>([
      ['has a pre script', { ...shop, scripts: { ...shop.scripts, pretest: 'true' } }],
      ['has a post script', { ...shop, scripts: { ...shop.scripts, posttest: 'true' } }],
      ['has a config', { ...shop, config: { port: '4000' } }],
      ['is missing', { ...shop, scripts: {} }],
      ['runs in another shell', shop, 'script-shell=bash\n'],
      ['gets arguments', shop, '', ['npm', 'test', '--', '--bail']],
      ['runs in a workspace', shop, '', ['npm', 'run', 'test', '-w', 'shop']],
    ])('that %s is left to npm', async ([, manifest, settings, command = ['npm', 'test']]) => {
      const { code, stderr } = await project(manifest, settings).run(...command)
      expect([code, stderr]).toEqual([2, 'Cannot start npm: no such command.\n'])
    })
  })

  test('stops the running tests when it is interrupted', async () => {
    const { child, exited, folder } = spawned(
      'gauntlet',
      ['--only', 'refund-never'],
      `import { renameSync, writeFileSync } from 'node:fs'
      import { createServer } from 'node:net'
      ${SUITE}
      if (process.env.PAYSIM_TROUBLE !== 'calm') {
        writeFileSync('writing.txt', String(process.pid))
        renameSync('writing.txt', 'pid.txt')
        createServer().listen(0, '127.0.0.1')
      }`,
    )
    const file = join(folder, 'pid.txt')
    await fileIn(folder, file)
    child.kill('SIGINT')
    expect((await exited).code).toBe(130)
    expect(() => process.kill(Number(readFileSync(file, 'utf8')), 0)).toThrow('ESRCH')
  })
})

describe('in GitHub Actions', () => {
  test('action.yml runs the installed gauntlet, and the job summary lists the worst results first', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'suite.mjs'), SUITE)
    writeFileSync(join(folder, 'own.yaml'), OWN_TROUBLE)
    mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true })
    symlinkSync(join(import.meta.dirname, '../../dist/main.js'), join(folder, 'node_modules/.bin/paysim'))
    const action = parse(readFileSync(join(import.meta.dirname, '../../action.yml'), 'utf8'))
    const [step] = action.runs.steps
    expect(Object.keys(step.env)).toEqual(['COMMAND', 'FLAGS'])
    const summary = join(folder, 'summary.md')
    writeFileSync(summary, 'What another step has written.\n\n')
    const { status, stdout } = spawnSync('bash', ['-c', step.run], {
      cwd: folder,
      encoding: 'utf8',
      env: {
        ...process.env,
        ...{ TMPDIR: folder, RETRIES: '3', GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: summary },
        COMMAND: 'test -z "$GITHUB_STEP_SUMMARY" && node suite.mjs',
        FLAGS: '--only answer-lost:refund,reads-lost,own --trouble own.yaml',
      },
    })
    expect([status, stdout]).toEqual([1, expect.stringMatching(/^money wrong +answer-lost:refund/m)])
    const text = readFileSync(summary, 'utf8')
    expect(text).toMatch(/^What another step has written\.\n\n## paysim gauntlet: 1 of 3 money wrong\n/)
    expect(text).toMatch(
      /^1\. \*\*C1: Money is moved .*\*\* \*\*\(money wrong\)\*\*, in 2 runs and in the baseline run<br>Send a random/m,
    )
    expect(text).toMatch(
      /^\| ✗ money wrong \| answer-lost:refund \| order-7 was refunded twice, \$25\.00 too much: .* \|\n\| ✗ audit failed \| own \|/m,
    )
    expect(text).toMatch(/<summary>1 more<\/summary>[\s\S]*^\| – not exercised \| reads-lost \|/m)
    expect(stdout).toMatch(/^::error file=own\.yaml,line=1,title=own::C1, as in the baseline run$/m)
  })
})

describe('paysim exec', () => {
  const LISTENING = "import('node:net').then(({ createServer }) => createServer().listen(0))"
  const KEYED = SUITE.replace(
    "'content-type'",
    "'idempotency-key': path + '-' + crypto.randomUUID(), 'content-type'",
  )

  test('runs the tests once, prints their output, and reports the behavior of their client and the troubles it met', async () => {
    const { folder, exited } = exec(['--report', 'json=audit.json'], `console.log('1 test passed')\n${SUITE}`)
    const { code, stdout } = await exited
    expect(stdout).toMatch(/^1 test passed\n\nThe command passed\. 1 order, 2 movements of money\.\n/)
    expect(stdout).toContain('error C1: Money is moved without an Idempotency-Key')
    expect(stdout).toMatch(/^Failures never met: answer-lost, /m)
    expect(stdout).toMatch(/^2 errors and 0 warnings in 3 requests$/m)
    expect(code).toBe(1)
    expect(JSON.parse(readFileSync(join(folder, 'audit.json'), 'utf8'))).toMatchObject({
      errors: 2,
      requests: 3,
    })
  })

  test('passes a client that behaves, and suggests the next step', async () => {
    const { code, stdout } = await exec([], KEYED).exited
    expect(stdout).toMatch(/^Next: paysim gauntlet -- .*suite\.mjs$/m)
    expect(stdout).toMatch(/^ {2}to test them: paysim gauntlet --only \S+ -- .*suite\.mjs$/m)
    expect(code).toBe(0)
  })

  test('fails if the command fails, and refuses a command that sends no request', async () => {
    const summary = join(temporaryFolder(), 'summary.md')
    const failing = exec([], `${KEYED}\nprocess.exitCode = 3`, { GITHUB_STEP_SUMMARY: summary })
    const failed = await failing.exited
    expect(readFileSync(summary, 'utf8')).toMatch(
      /^## paysim exec: The command failed: exit code 3\. 0 errors/,
    )
    expect([failed.code, failed.stdout]).toEqual([
      1,
      expect.stringContaining('The command failed: exit code 3.'),
    ])
    const nothing = await exec([], '').exited
    expect([nothing.code, nothing.stderr]).toEqual([
      2,
      expect.stringMatching(/^The command passed\. Its tests sent nothing/),
    ])
    const slow = await exec(['--timeout', '1s'], LISTENING).exited
    expect([slow.code, slow.stderr]).toEqual([
      1,
      expect.stringMatching(/did not end within 1\.0 s and was ended/),
    ])
  })
})

describe('a command', () => {
  const setup = () => ({
    env: process.env,
    outputFile: join(temporaryFolder(), 'output.log'),
    limitMs: () => 60_000,
    stopped: new AbortController().signal,
  })

  test('is stopped after its time limit', async () => {
    const { failure } = await runChild({ ...setup(), command: ['sleep', '600'], limitMs: () => 100 })
    expect(failure).toBe('it did not end within 100 ms and was ended')
  })

  test('is stopped together with its child processes', async () => {
    const { port, connected } = await lifeline()
    const stop = new AbortController()
    const script = `"${process.execPath}" -e "require('net').connect(${port}, '127.0.0.1')" & wait`
    const running = runChild({ ...setup(), command: ['sh', '-c', script], stopped: stop.signal })
    const gone = once(await connected, 'close')
    stop.abort()
    expect((await running).failure).toBe('it was interrupted')
    await gone
  })

  test('leaves no process running after it exits', async () => {
    const { port, connected } = await lifeline()
    const script = `"${process.execPath}" -e "require('net').connect(${port}, '127.0.0.1')" & read line`
    const command = ['sh', '-c', `mkfifo "$FIFO"; { ${script} < "$FIFO"; }`]
    const fifo = join(temporaryFolder(), 'go')
    const running = runChild({ ...setup(), command, env: { ...process.env, FIFO: fifo } })
    const gone = once(await connected, 'close')
    writeFileSync(fifo, 'go\n')
    expect((await running).failure).toBeUndefined()
    await gone
  })
})

/** A port for a child process: its connection closes when the process exits. */
async function lifeline() {
  let connect: (socket: Socket) => void
  const connected = new Promise<Socket>((resolve) => {
    connect = resolve
  })
  const { port } = new URL(await servedBytes((socket) => connect(socket.resume())))
  return { port, connected }
}

/** Resolves once the file exists. */
function fileIn(folder: string, file: string): Promise<void> {
  return new Promise((resolve) => {
    const watcher = watch(folder, () => {
      if (!existsSync(file)) return
      watcher.close()
      resolve()
    })
    if (existsSync(file)) watcher.emit('change')
  })
}
