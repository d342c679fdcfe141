/**
 * `paysim fidelity`: measures how faithful paysim is to a real service. Takes pairs of responses from scenarios played at both,
 * from a recording, or from a proxy in front of the service; compares them, and writes the differences as a profile.
 */
import type { Terminal } from '../../sandbox/scenario-file/lint.ts'
import type { ProfileChanges } from '../../spec/contract/profile.ts'
import { UsageError } from '../../spec/options/read.ts'
import { Secrets, secretsIn, secretsInBody } from '../../spec/secrets.ts'
import { readTextFile } from '../../spec/text-file.ts'
import { wallClock } from '../../spec/world/clock.ts'
import { startOwn } from '../compose-server.ts'
import { measureFiles } from '../fidelity/compare-files.ts'
import type { RecordedTraffic } from '../fidelity/evidence.ts'
import { type MeasuredSides, measure } from '../fidelity/measure.ts'
import { playRecording } from '../fidelity/mirror.ts'
import { openProxy } from '../fidelity/proxy.ts'
import { readRecording } from '../fidelity/recording.ts'
import { reportFidelity } from '../fidelity/result.ts'
import type { Resolved } from '../options/commands.ts'
import { type PlayOptions, readFiles } from '../player/options.ts'
import type { ExitCode, PlayIo } from '../player/run-setup.ts'
import type { Lifetime } from './lifetime.ts'
import { readProfile } from './profile.ts'
import { scenarioPaths } from './scenario-paths.ts'
import { reportsTo, terminal } from './terminal.ts'

type Options = Resolved<'fidelity'>

/** The exit code is 2 if nothing was compared, because the target is unreachable or the recording has no usable exchange. */
export async function fidelity(
  options: Options,
  life: Lifetime,
  shown: Terminal = terminal,
): Promise<ExitCode> {
  const { file, target, proxy, out, since, reports } = options
  requireOneSource(options)
  // Read first, so that a mistake in it is reported before the work.
  const earlier = since === undefined ? undefined : { file: since, profile: await readProfile(since) }
  const given = options.profile === undefined ? {} : await readProfile(options.profile)
  const startedAt = wallClock()
  const secrets = new Secrets({ latest: SECRETS_KNOWN })
  for (const secret of [options.apiKey, options.adminToken, ...(target ? secretsInUrl(target) : [])])
    secrets.add(secret)
  const hide = (text: string) => secrets.hide(text)

  const proxied = proxy === undefined ? undefined : await recordByProxy(options, secrets, life, shown.out)
  const recording = file === undefined ? proxied : readFileOf(file, secrets)
  const measured = recording
    ? await measure((profile) => playRecording(recording, profile), given)
    : await playTour(options, given, secrets, shown)

  return reportFidelity(
    {
      ...measured,
      command: 'fidelity',
      service: target ?? file!,
      since: earlier,
      startedAt,
      recorded: proxied?.exchanges,
    },
    { ...reportsTo(reports), out: shown.out, profile: out, hide },
  )
}

/** Bounded, because a service may set a new cookie with every response. */
const SECRETS_KNOWN = 1_000

function requireOneSource({ file, target, proxy }: Options): void {
  if (file !== undefined && (target !== undefined || proxy !== undefined))
    throw new UsageError('A recording cannot be combined with --target or --proxy: it is compared offline.')
  if (file !== undefined || target !== undefined) return
  throw new UsageError(
    proxy === undefined
      ? 'Missing --target URL or recording. Example: paysim fidelity --target https://staging.example'
      : 'Missing --target URL: the service that --proxy forwards to.',
  )
}

/** Credentials in a URL are sent as Basic authentication. */
function secretsInUrl(target: string): string[] {
  const { username, password } = new URL(target)
  const pair = Buffer.from([username, password].map(decodeURIComponent).join(':'))
  const headers = [['authorization', `Basic ${pair.toString('base64')}`]] as const
  return secretsIn({ target, headers: password === '' ? [] : headers })
}

/** Plays the scenarios tagged `tour` at both. */
async function playTour(
  { apiKey, adminToken, maxWait, ...options }: Options,
  profile: ProfileChanges,
  secrets: Secrets,
  shown: Terminal,
): Promise<MeasuredSides> {
  const target = { base: new URL(options.target!), apiKey, adminToken, profile }
  shown.out(secrets.hide(`Running the tour at ${options.target} and in paysim.`))
  const play: PlayOptions = {
    ...options,
    ...{ apiKey, adminToken, profile },
    paths: scenarioPaths('fidelity', { scenarios: [], bundled: true }),
    tags: ['tour'],
    reports: [],
    patience: maxWait === undefined ? undefined : { within: maxWait },
  }
  const io: PlayIo = {
    // Nothing is printed while playing: the result is printed once, at the end.
    out() {},
    err: shown.err,
    color: false,
    env: process.env,
    startOwn,
  }
  return measureFiles({ ...(await readFiles(play)), target, options: play, io, secrets }, target, true)
}

function readFileOf(file: string, secrets: Secrets): RecordedTraffic {
  const recording = readRecording(file, readTextFile(file))
  if (recording === undefined)
    throw new UsageError(`${file} is neither a HAR file nor a JSON report of paysim fidelity --proxy.`)
  if (recording.exchanges.length === 0) throw new UsageError(`${file} has no request to a path under /v1.`)
  for (const { asked, theirs } of recording.exchanges)
    for (const { headers, body = '', ...sent } of [asked, theirs])
      secrets.addAll([
        ...secretsIn({ headers: Object.entries(headers), ...('target' in sent && { target: sent.target }) }),
        ...secretsInBody(body),
      ])
  return recording
}

/** Further exchanges are forwarded but not compared, so that the report is written within seconds. */
const RECORDED_MAX = 2_000
const RECORDED_MAX_CHARS = 64 * 1024 ** 2

/** Runs a proxy in front of the service until a signal, and records each exchange. */
async function recordByProxy(
  options: Options,
  secrets: Secrets,
  life: Lifetime,
  out: (line: string) => void,
): Promise<RecordedTraffic> {
  const exchanges: RecordedTraffic['exchanges'][number][] = []
  let chars = 0
  const say = (line: string) => out(secrets.hide(line))
  const { url, close } = await openProxy(new URL(options.target!), options.proxy!, {
    secrets,
    seen({ asked, theirs, at }) {
      secrets.addAll([...secretsInBody(asked.body ?? ''), ...secretsInBody(theirs.body)])
      const call = `${asked.method} ${asked.target}: ${theirs.status}`
      if (!asked.target.startsWith('/v1/')) return say(`  ${call}, which is not under /v1`)
      chars += (asked.body?.length ?? 0) + theirs.body.length
      if (exchanges.length >= RECORDED_MAX || chars > RECORDED_MAX_CHARS)
        return say(`! ${call}, not recorded: the recording is full. Press Ctrl+C to compare it`)
      exchanges.push({ seenIn: `request ${exchanges.length + 1}`, asked, theirs, at })
      say(`  ${call}`)
    },
    unseen: ({ call, why }) => say(`! ${call}: ${why}`),
  })
  const closed = life.endWith(close)
  say(`${url} forwards everything to ${options.target}. Press Ctrl+C to stop and compare`)
  await life.untilStopped()
  await closed()
  return { name: options.target!, exchanges }
}
