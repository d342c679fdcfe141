/** The bundled scenarios with behaviors, read when a page first shows them. */
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { openBeside, parseScenario } from '../../sandbox/scenario-file/read.ts'
import { PACKAGE_ROOT } from '../../spec/package.ts'

/** A bundled scenario with behaviors. */
interface BehaviorExample {
  file: string
  /** The effect of arming it, in plain words. */
  does: string
  name: string
  why: string | undefined
  yaml: string
}

export type Library = () => Promise<BehaviorExample[]>

/** The effect of arming a library file; its name describes the whole scenario. */
export const DOES: Readonly<Record<string, string>> = {
  'answer-cut-short.yaml': "The next refund's response is cut off",
  'answer-garbled.yaml': 'The next refund gets a response that is not JSON',
  'answer-late.yaml': "The next refund's response is ten seconds late",
  'answer-lost.yaml': 'The next refund loses its response',
  'answer-lost-twice.yaml': 'The next refund loses its response, and so does its retry',
  'answer-slow.yaml': "The next refund's response arrives a few bytes at a time",
  'answer-unreadable.yaml': 'The next refund gets a response that is not HTTP',
  'backoff.yaml': 'The next refund gets 503 twice, then 429',
  'buyer-declined.yaml': 'The next buyer is declined',
  'client-killed.yaml': 'The next confirm kills the client of paysim gauntlet --app, and resets any other',
  'client-timeout.yaml': 'The next refund waits at a gate until its client gives up',
  'connection-closed.yaml': 'The next refund is not created: its connection is closed',
  'internal-error.yaml': 'The next refund gets 500',
  'key-in-flight.yaml': 'The next refund waits at a gate: a retry gets 409',
  'not-modelled.yaml': 'Payouts and the balance are stubbed',
  'outage.yaml': 'Every request gets 503',
  'rate-limit-used-up.yaml': 'The next new customer gets 429',
  'refund-immediate.yaml': 'Every refund completes at once',
  'refund-never.yaml': 'No refund completes',
  'refund-on-third-poll.yaml': 'Every refund completes when it is read three times',
  'refund-slow.yaml': 'Every refund takes two days',
  'request-lost.yaml': "The next refund's connection breaks before it is created",
  'silence.yaml': 'The next refund gets no response',
  'webhook-dropped.yaml': 'Webhooks of completed refunds never arrive',
  'webhook-duplicated.yaml': 'Webhooks of completed refunds arrive twice',
  'webhook-late.yaml': 'Webhooks of completed refunds arrive ten minutes late',
  'webhook-out-of-order.yaml': 'Webhooks of new refunds arrive after the next one',
  'webhook-stale.yaml': 'Webhooks of completed refunds have an old signature',
  'webhook-tampered.yaml': 'Webhooks of completed refunds have a wrong signature',
}

const SCENARIOS = new URL('scenarios/', PACKAGE_ROOT)

export function openLibrary(): Library {
  let examples: Promise<BehaviorExample[]> | undefined
  return () => {
    examples ??= readExamples()
    return examples
  }
}

async function readExamples(): Promise<BehaviorExample[]> {
  const files = (await readdir(SCENARIOS)).filter((file) => file.endsWith('.yaml'))
  const examples: BehaviorExample[] = []
  // Parsed one at a time: parsing all in one piece would block other requests for half a second.
  for (const file of files) examples.push(...(await readExample(file)))
  return examples.sort((one, other) => (one.does < other.does ? -1 : 1))
}

async function readExample(file: string): Promise<BehaviorExample[]> {
  const path = fileURLToPath(new URL(file, SCENARIOS))
  const yaml = await readFile(path, 'utf8')
  const { name, why, behaviors = [] } = parseScenario(yaml, path, openBeside)
  return behaviors.length === 0 ? [] : [{ file, does: DOES[file] ?? name, name, why, yaml }]
}
