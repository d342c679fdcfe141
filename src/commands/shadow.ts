/** `paysim shadow`: a proxy in front of the real staging, which plays each request in a sandbox as well. */
import { writeFile } from 'node:fs/promises'
import type { ServiceExchange } from '../learn/evidence.ts'
import { Mirror } from '../learn/mirror.ts'
import { openProxy } from '../learn/proxy.ts'
import { type ShadowedRequest, shadowed } from '../learn/shadow.ts'
import { UsageError } from '../options/read.ts'
import { Secrets } from '../player/secrets.ts'
import { Lessons } from './lessons.ts'
import { openMirrorSandbox } from './mirror-sandbox.ts'
import { readProfile } from './profile.ts'
import { terminal } from './terminal.ts'

export interface ShadowOptions {
  target: string
  port: number
  /** `json=FILE` */
  report?: string | undefined
  learn?: string | undefined
  profile?: string | undefined
}

/** Their values are passed on, and stand in no output. */
const SECRET_HEADERS = ['x-api-key', 'authorization', 'cookie']

export async function openShadow(options: ShadowOptions, out: (line: string) => void) {
  const report = /^json=(.+)$/s.exec(options.report ?? '')?.[1]
  if (options.report !== undefined && report === undefined)
    throw new UsageError(`--report takes json=FILE, not ${options.report}.`)
  if (options.learn !== undefined && options.profile !== undefined)
    throw new UsageError('--learn starts from the defaults, so it takes no --profile.')
  const { sandbox, close } = openMirrorSandbox(
    options.profile ? await readProfile(options.profile) : undefined,
  )
  const mirror = new Mirror(sandbox)
  const lessons = options.learn === undefined ? undefined : new Lessons(options.learn)
  const secrets = new Secrets()
  secrets.add(sandbox.apiKey)
  const requests: ShadowedRequest[] = []
  let played = Promise.resolve()

  async function play(seen: ServiceExchange): Promise<void> {
    const { exchange, request } = await shadowed(mirror, seen)
    lessons?.add({ exchanges: [exchange], webhooks: [] })
    requests.push(request)
    const { call, theirs, differences } = request
    out(secrets.hide(`${differences.length === 0 ? '=' : '≠'} ${call}: ${theirs}`))
    for (const sentence of differences) out(secrets.hide(`    ${sentence}`))
  }

  const proxy = await openProxy(new URL(options.target), options.port, (exchange) => {
    for (const name of SECRET_HEADERS) secrets.add(exchange.asked.headers[name])
    if (!exchange.asked.target.startsWith('/v1/')) return
    played = played
      .then(() => play(exchange))
      .catch((cause: Error) => out(secrets.hide(`${exchange.seenIn} could not be played: ${cause.message}`)))
  })

  return {
    url: proxy.url,
    async close() {
      await proxy.close()
      await played
      await close()
      const differing = requests.filter(({ differences }) => differences.length > 0).length
      out(`${differing} of ${requests.length} requests differ`)
      if (report !== undefined)
        await writeFile(report, secrets.hide(`${JSON.stringify({ requests }, null, 2)}\n`))
      await lessons?.write((text) => secrets.hide(text))
    },
  }
}

export async function shadow(options: ShadowOptions): Promise<void> {
  const { url, close } = await openShadow(options, terminal.out)
  terminal.out(`${url} passes everything on to ${options.target}; Ctrl+C ends it`)
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve())
  })
  await close()
}
