/** `paysim shadow`: a proxy in front of the real staging that repeats each request in a sandbox. */
import type { ShadowedExchange } from '../../pages/dashboard/real-service.ts'
import { counted } from '../../spec/contract/counted.ts'
import { UsageError } from '../../spec/options/read.ts'
import { Secrets } from '../../spec/secrets.ts'
import { wallClock } from '../../spec/world/clock.ts'
import { writeReport } from '../checks/write.ts'
import { hiddenIn } from '../learn/evidence.ts'
import type { Resolved } from '../options/commands.ts'
import { groupLines, SaidOnce } from '../player/difference-groups.ts'
import { Mirror } from '../shadow/mirror.ts'
import { openMirrorSandbox } from '../shadow/mirror-sandbox.ts'
import { PlayQueue } from '../shadow/play-queue.ts'
import { openProxy, type PassedOn } from '../shadow/proxy.ts'
import { differingText, shadowReport } from '../shadow/report.ts'
import { ShadowList } from '../shadow/shadow-list.ts'
import { shadowed } from '../shadow/shadowed.ts'
import { Lessons } from './lessons.ts'
import type { Lifetime } from './lifetime.ts'
import { readProfile } from './profile.ts'
import { terminal } from './terminal.ts'

export type ShadowOptions = Resolved<'shadow'>

/** A service may send a new cookie with every response, so the number of known secrets is bounded. */
const SECRETS_KNOWN = 1_000

export async function openShadow(options: ShadowOptions, out: (line: string) => void, life: Lifetime) {
  if (options.learn !== undefined && options.profile !== undefined)
    throw new UsageError('--learn starts from the defaults, so it takes no --profile.')
  const profile = options.profile ? await readProfile(options.profile) : undefined
  const list = new ShadowList(options.target)
  const { sandbox, openDashboard, close } = openMirrorSandbox(profile)
  life.endWith(close)
  const mirror = new Mirror(sandbox)
  const secrets = new Secrets({ latest: SECRETS_KNOWN })
  const queue = new PlayQueue()
  const said = new SaidOnce()
  let count = 0

  /** Secrets are replaced before the request is played, so neither the output nor the sandbox's journal ever has them. */
  function see({ asked, theirs, secrets: found }: PassedOn): void {
    secrets.addAll(found)
    if (!asked.target.startsWith('/v1/')) return
    count += 1
    const [number, at] = [count, wallClock()]
    const seen = hiddenIn({ seenIn: `request ${number}`, asked, theirs }, secrets)
    const call = `${asked.method} ${seen.asked.target}`
    const play = () =>
      shadowed(mirror, seen, { number, at }).catch((cause: Error) => {
        out(secrets.hide(`! ${call}: it could not be played, ${cause.message}`))
      })
    const hasRoom = queue.add((asked.body?.length ?? 0) + theirs.body.length, play, (found) => {
      if (!found) return
      list.add(found.shadowed, found.exchange)
      for (const line of linesOf(found.shadowed, said)) out(line)
    })
    if (!hasRoom) out(`! ${call}: too many answers wait for the sandbox's, so it is not compared`)
  }

  const dashboard = await openDashboard(options.dashboardPort)
  const proxy = await openProxy(new URL(options.target), options.port, {
    seen: see,
    unseen({ call, why, secrets: found }) {
      secrets.addAll(found)
      out(secrets.hide(`! ${call}: ${why}`))
    },
  })
  // After the report, and also where that cannot be written: the latest ends first. Not where the proxy did not start: it has learned
  // nothing, and the file may have what was learned before.
  life.endWith(async () => {
    if (options.learn === undefined) return
    const lessons = new Lessons(options.learn, secrets)
    lessons.add({ exchanges: list.evidence, webhooks: [] })
    await lessons.write()
  })
  life.endWith(async () => {
    await proxy.close()
    const left = await queue.finish()
    list.learnAll()
    out(differingText(list))
    for (const line of groupLines(list.groups())) out(secrets.hide(line))
    if (left > 0) out(`  ${counted(left, 'more request')} waited for the sandbox, and were not compared`)
    await writeReport(shadowReport(list), {
      ...{ files: options.reports, env: {}, annotate: out },
      // An exchange may have shown a token before it was known to be secret.
      hide: (text) => secrets.hide(text),
      page: async () => (await import('../report-page/shadow-page.tsx')).shadowPage(list),
    })
  })

  return {
    url: proxy.url,
    dashboard,
    /** Resolves when everything that was answered so far has been played. */
    played: () => queue.played,
  }
}

const linesOf = (
  { method, target, theirs, differences, notes }: ShadowedExchange,
  said: SaidOnce,
): string[] => [
  `${differences.length === 0 ? '=' : '≠'} ${method} ${target}: ${theirs.status}`,
  ...said.sentences(differences).map((sentence) => `    ${sentence}`),
  ...notes.map((note) => `    (${note})`),
]

export async function shadow(options: ShadowOptions, life: Lifetime): Promise<void> {
  life.stopSignal()
  const { url, dashboard } = await openShadow(options, terminal.out, life)
  terminal.out(`${url} passes everything on to ${options.target}; Ctrl+C ends it`)
  terminal.out(`${dashboard} shows the sandbox`)
  await life.untilStopped()
}
