/** `paysim grade`: the report card of a webhook receiver. */
import { wallClock } from '../../spec/world/clock.ts'
import { writeReport } from '../checks/write.ts'
import { createSimulator } from '../compose.ts'
import { gradeReceiver } from '../grade/grade.ts'
import { readMaterial } from '../grade/material.ts'
import { readProbe, readStateProbe } from '../grade/probe.ts'
import { caseText, gradeReport, gradeText } from '../grade/report.ts'
import type { Resolved } from '../options/commands.ts'
import { appOf, requireListener } from '../processes.ts'
import type { Lifetime } from './lifetime.ts'
import { printText, reportsTo, terminal } from './terminal.ts'

export async function grade(options: Resolved<'grade'>, life: Lifetime): Promise<number> {
  const { secret, start, probeState, timeout: timeoutMs, port, reports } = options
  const url = new URL(options.url)
  const probe = options.probe === undefined ? undefined : new URL(options.probe)
  if (start === undefined) await requireListener(url)
  const simulator = createSimulator({ rateLimit: 'off', log: 'silent' })
  life.endWith(() => simulator.close())
  const { url: served } = await simulator.listen({ port })
  const shop = simulator.sandbox('default')
  terminal.out(`The events come from a sandbox at ${served} with the API key ${shop.apiKey}.`)
  const receiver =
    start === undefined
      ? undefined
      : appOf({
          option: '--start',
          command: start,
          url,
          env: {
            ...process.env,
            PAYSIM_URL: served,
            PAYSIM_API_KEY: shop.apiKey,
            PAYSIM_WEBHOOK_SECRET: secret,
            PAYSIM_WEBHOOK_URL: url.href,
            PAYSIM_WEBHOOK_PORT: url.port,
          },
        })
  if (receiver) {
    life.endWith(() => receiver.kill())
    await receiver.start()
  }
  if (probe !== undefined) await readProbe(probe)
  const card = await gradeReceiver({
    url,
    material: await readMaterial({ shop, answer: simulator.fetch }, secret, wallClock()),
    timeoutMs,
    probe: probe === undefined ? undefined : () => readProbe(probe),
    probeState: probeState === undefined ? undefined : (refund) => readStateProbe(probeState, refund),
    restart: receiver && (() => receiver.crash().then(receiver.start)),
    progress: (result) => printText(caseText(result)),
  })
  terminal.out(gradeText(card))
  await writeReport(gradeReport(card), reportsTo(reports))
  return card.grade === 'A' ? 0 : 1
}
