import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folder } from '../given.ts'
import { served } from '../served.ts'
import { runPaysim } from './paysim.ts'

const SECRET = 'whsec_cGF5c2ltLXN0YWdpbmctc2lnbmluZy1zZWNyZXQtMDE='
const NOBODY = 'http://127.0.0.1:1'

/** A server that occupies the port `taken`, and the paths of a file and a scenario. */
interface Setting {
  taken: string
  url: string
  file: string
  scenario: string
}

/** A stand-in for paysim with the sandbox `default` and only the part of the tester's API that a receiver needs. */
async function setting(): Promise<Setting> {
  const address = await served(({ url = '' }, response) => {
    const answers: Record<string, unknown> = {
      '/_sim/sandboxes/default': { name: 'default', signingSecret: SECRET },
      '/webhooks': null,
    }
    response
      .writeHead(url in answers ? 200 : 500, {
        'content-type': url.endsWith('/page') ? 'text/html' : 'application/json',
      })
      .end(JSON.stringify(answers[url] ?? { error: 'internal', message: 'It is broken' }))
  })
  const place = folder()
  const [file, scenario] = [join(place, 'file'), join(place, 'down.yaml')]
  writeFileSync(file, '')
  writeFileSync(scenario, 'name: Down\nbehaviors: [{ id: down, do: { respond: { status: 503 } } }]\n')
  return { taken: new URL(address).port, url: address, file, scenario }
}

const start = (...args: string[]) => ['start', '--port', '0', '--log', 'silent', ...args]
const grade = (url: string, ...args: string[]) => ['grade', `${url}/webhooks`, '--secret', SECRET, ...args]
const fidelity = (...args: string[]) => ['fidelity', '--target', NOBODY, ...args]

type Failing = readonly [how: string, args: (at: Setting) => string[], said: RegExp]

const TAKEN: readonly Failing[] = [
  [
    'start',
    ({ taken }) => start('--port', taken),
    /^Port \d+ on 127\.0\.0\.1 is in use\. Pass --port 0 for any free port\.$/m,
  ],
  ['start --scenario', ({ taken, scenario }) => start('--port', taken, '--scenario', scenario), /in use/],
  [
    'its production',
    ({ taken }) => start('--production', '--production-port', taken),
    /in use\. Pass --production-port 0/,
  ],
  ['grade', ({ taken, url }) => grade(url, '--port', taken), /in use/],
  ['fidelity', ({ taken }) => fidelity('--proxy', taken), /in use\. Pass --proxy 0/],
]

/** Not writable, because a path below a file cannot be a folder. */
const report = ({ file }: Setting) => ['--report', `json=${file}/report`]
const profile = ({ file }: Setting) => `${file}/profile`

const NOT_WRITABLE: readonly Failing[] = [
  ['start', ({ file, scenario }) => start('--data', `${file}/data`, '--scenario', scenario), /data must be/],
  [
    'its certificate',
    ({ file, scenario }) => start('--tls-ca-out', `${file}/ca.pem`, '--scenario', scenario),
    /--tls-ca-out .* cannot be written/,
  ],
  ['run', (at) => ['run', at.scenario, ...report(at)], /The report .* cannot be written/],
  [
    'what run learns',
    (at) => ['run', at.scenario, '--compare', '--target', NOBODY, '--learn', profile(at)],
    /The profile .* cannot be written/,
  ],
  ['gauntlet', (at) => ['gauntlet', ...report(at), '--', 'true'], /The report .* cannot be written/],
  ['record', (at) => ['record', '--out', profile(at)], /The scenario .* cannot be written/],
  ['audit', (at) => ['audit', ...report(at)], /The report .* cannot be written/],
  ['grade', (at) => grade(at.url, ...report(at)), /The report .* cannot be written/],
  ['fidelity', (at) => fidelity(...report(at)), /The report .* cannot be written/],
  ['what fidelity learns', (at) => fidelity('--out', profile(at)), /The profile .* cannot be written/],
]

const NOT_THERE: readonly Failing[] = [
  [
    'start',
    () => start('--scenario', 'none.yaml'),
    /^--scenario names a file or folder that does not exist: none\.yaml\.\n$/,
  ],
  [
    'its fixture',
    ({ scenario }) => start('--fixture', 'none', '--scenario', scenario),
    /^--fixture names a file that does not exist: none.*; demo comes with paysim/,
  ],
  [
    'its profile',
    ({ scenario }) => start('--profile', 'none', '--scenario', scenario),
    /^--profile names a file that does not exist: none/,
  ],
  [
    'its key',
    ({ scenario }) => start('--tls-cert', 'none', '--tls-key', 'none', '--scenario', scenario),
    /^--tls-cert: Cannot read none: no such file/,
  ],
  [
    'its host',
    ({ scenario }) => start('--host', 'nowhere.invalid', '--scenario', scenario),
    /is not an address of/,
  ],
  ['run', () => ['run', 'none.yaml'], /^No such file or folder: none\.yaml\.\n$/],
  ['run --watch', () => ['run', 'none.yaml', '--watch'], /^No such file or folder: none\.yaml\.\n$/],
  [
    'the profile of run',
    ({ scenario }) => ['run', scenario, '--profile', 'none'],
    /^--profile names a file that does not exist: none/,
  ],
  ['the command of gauntlet', () => ['gauntlet', '--', './none'], /Cannot start/],
  ['the baseline of gauntlet', () => ['gauntlet', '--baseline', 'none', '--', 'true'], /--baseline none/],
  ['lint', () => ['lint', 'none.yaml'], /^No such file or folder: none\.yaml\.\n$/],
  ['profile', () => ['profile', '--check', 'none'], /^Cannot read none: no such file/],
  ['fidelity', () => ['fidelity', 'none'], /^Cannot read none: no such file/],
  [
    'the profile of fidelity',
    () => fidelity('--profile', 'none'),
    /^--profile names a file that does not exist: none/,
  ],
  ['sign', () => ['sign', '@none'], /^Cannot read none: no such file/],
]

const NO_PAYSIM: readonly Failing[] = [
  ['record', ({ url }) => ['record', '--target', url], /It is broken/],
  ['audit', ({ url }) => ['audit', '--target', url], /It is broken/],
  ['listen', ({ url }) => ['listen', '--target', url], /It is broken/],
  ['its page', ({ url }) => ['audit', '--target', url, '--sandbox', 'page'], /answered 500, not as a paysim/],
  ['health', ({ taken }) => ['health', '--port', taken], /answered 500/],
]

const ANY = expect.toBeOneOf([1, 2])
const FAILING: readonly (readonly [what: string, code: unknown, ...Failing])[] = [
  ...TAKEN.map((row) => ['a port that is taken', 1, ...row] as const),
  ...NOT_WRITABLE.map((row) => ['a folder that cannot be written', ANY, ...row] as const),
  ...NOT_THERE.map((row) => ['what is not there', ANY, ...row] as const),
  ...NO_PAYSIM.map((row) => ['a paysim that is broken', ANY, ...row] as const),
]

test('each command prints one line and exits', async () => {
  const at = await setting()
  for (const [what, code, how, args, said] of FAILING) {
    const { code: is, stderr } = await runPaysim(args(at))
    expect
      .soft([is, stderr, stderr.split('\n').length], `${what}: ${how}`)
      .toEqual([code, expect.stringMatching(said), 2])
  }
})
