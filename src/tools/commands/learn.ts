/** `paysim learn`: what a HAR file shows of the real service, as a profile. */
import { readFile } from 'node:fs/promises'
import { UsageError } from '../../spec/options/read.ts'
import { Secrets, secretsIn } from '../../spec/secrets.ts'
import { hiddenIn } from '../learn/evidence.ts'
import { readHar } from '../learn/har.ts'
import type { Resolved } from '../options/commands.ts'
import { Mirror } from '../shadow/mirror.ts'
import { openMirrorSandbox } from '../shadow/mirror-sandbox.ts'
import { Lessons } from './lessons.ts'
import type { Lifetime } from './lifetime.ts'
import { terminal } from './terminal.ts'

export async function learnFromHar({ file, out, secret }: Resolved<'learn'>, life: Lifetime): Promise<void> {
  const text = await readFile(file, 'utf8').catch(() => {
    throw new UsageError(`${file} must be a file that can be read.`)
  })
  const evidence = readHar(text, secret)
  if (evidence === undefined)
    throw new UsageError(`${file} must be a HAR file, as browsers and proxies write it.`)
  if (evidence.exchanges.length === 0) throw new UsageError(`${file} has no request to a path under /v1.`)
  const lessons = new Lessons(out)
  const { sandbox, close } = openMirrorSandbox()
  life.endWith(close)
  const mirror = new Mirror(sandbox)
  const secrets = new Secrets()
  for (const { asked, theirs } of evidence.exchanges)
    for (const { target, headers } of [asked, { target: undefined, ...theirs }])
      secrets.addAll(secretsIn({ target, headers: Object.entries(headers) }))
  for (const seen of evidence.exchanges) {
    const exchange = hiddenIn(seen, secrets)
    const played = await mirror.play(exchange).catch((cause: Error) => {
      terminal.err(secrets.hide(`${exchange.seenIn} is left out: ${cause.message}`))
    })
    if (!played) continue
    const { ours, unknown } = played
    lessons.add({ exchanges: [unknown ? exchange : { ...exchange, ours }], webhooks: [] })
  }
  lessons.add({ exchanges: [], webhooks: evidence.webhooks })
  await lessons.write()
}
