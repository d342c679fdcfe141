/** `paysim grade`: the report card of a webhook receiver. */

import { readValue, UsageError } from '../../spec/options/read.ts'
import {
  DurationOrMs,
  HttpUrl,
  numberFromText,
  SigningSecret,
  wholeNumber,
} from '../../spec/options/values.ts'
import { wallClock } from '../../spec/world/clock.ts'
import { readReportFlags, writeReport } from '../checks/write.ts'
import { createSimulator } from '../compose.ts'
import { gradeReceiver } from '../grade/grade.ts'
import { readMaterial } from '../grade/material.ts'
import { requireListener } from '../grade/post.ts'
import { readProbe, readStateProbe } from '../grade/probe.ts'
import { caseText, gradeReport, gradeText } from '../grade/report.ts'
import { StartedReceiver } from '../grade/started.ts'
import type { Lifetime } from './lifetime.ts'
import { terminal } from './terminal.ts'

export interface GradeCommandOptions {
  url: string
  secret: string
  /** A URL that answers with the number of handled events. */
  probe?: string | undefined
  /** A URL with `{id}` that answers with the state of that refund. */
  probeState?: string | undefined
  /** The command that starts the receiver. */
  start?: string | undefined
  timeout: string
  /** The port of the sandbox that a receiver may call back. */
  port: string
  report?: readonly string[] | undefined
}

export async function grade(options: GradeCommandOptions, life: Lifetime): Promise<void> {
  const url = new URL(readValue(HttpUrl, options.url, 'The URL'))
  const secret = readValue(SigningSecret, options.secret, '--secret')
  const probe =
    options.probe === undefined ? undefined : new URL(readValue(HttpUrl, options.probe, '--probe'))
  const { start, probeState } = options
  if (probeState !== undefined) requireTemplate(probeState)
  const timeoutMs = readValue(DurationOrMs, options.timeout, '--timeout')
  const port = readValue(wholeNumber(0, 65_535), numberFromText(options.port), '--port')
  const files = readReportFlags(options.report)
  if (start === undefined) await requireListener(url).catch(asUsageError)
  const simulator = createSimulator({ rateLimit: 'off', log: 'silent' })
  life.endWith(() => simulator.close())
  const { url: served } = await simulator.listen({ port })
  const shop = simulator.sandbox('default')
  terminal.out(`The events are of a sandbox at ${served}, with the key ${shop.apiKey}.`)
  const receiver =
    start === undefined
      ? undefined
      : new StartedReceiver({
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
    await receiver.start().catch(asUsageError)
  }
  if (probe !== undefined) await readProbe(probe).catch(asUsageError)
  const card = await gradeReceiver({
    url,
    material: await readMaterial({ shop, answer: simulator.fetch }, secret, wallClock()),
    timeoutMs,
    probe: probe === undefined ? undefined : () => readProbe(probe),
    probeState: probeState === undefined ? undefined : (refund) => readStateProbe(probeState, refund),
    restart: receiver && (() => receiver.restart()),
    progress: (result) => terminal.out(caseText(result)),
  })
  terminal.out(gradeText(card))
  await writeReport(gradeReport(card), { files, env: process.env, out: terminal.out })
  process.exitCode = card.grade === 'A' ? 0 : 1
}

function requireTemplate(text: string): void {
  readValue(HttpUrl, text.replaceAll('{id}', 'ref_1'), '--probe-state')
  if (!text.includes('{id}')) {
    throw new UsageError(`--probe-state needs {id} in the place of the refund, not ${JSON.stringify(text)}.`)
  }
}

/** Before the first case there is nothing to grade yet, so the exit code is not that of a bad grade. */
function asUsageError({ message }: Error): never {
  throw new UsageError(message)
}
