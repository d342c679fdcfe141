/** The command in a sandbox of its own, once. */
import { arrivingUnder } from '../../spec/contract/connection-fault.ts'
import { counted } from '../../spec/contract/counted.ts'
import type { Conduct } from '../../tester/conduct/judge.ts'
import { RULES } from '../../tester/conduct/rules.ts'
import type { SandboxControl, Sandboxes } from '../../tester/control/control.ts'
import type { Trouble } from './catalog.ts'
import { type ChildResult, runChild } from './child.ts'
import { webhookAddress } from './webhook-address.ts'

export interface SuiteSetup {
  command: readonly string[]
  webhookUrl: string
  /** Rules of conduct that are not applied, each with its reason. */
  ignoredRules: Readonly<Record<string, string>>
  env: Readonly<Record<string, string | undefined>>
  simulator: Sandboxes
  /** Where it listens. */
  url: string
  stopped: AbortSignal
}

export interface Round {
  /** The trouble, or `calm`. */
  name: string
  behaviors: Trouble['behaviors']
  /** Left out, it is shown. */
  outputFile?: string
  /** How long it may take, by what its sandbox has met so far. */
  limitMs: (shop: SandboxControl) => number
}

export interface Ran {
  child: ChildResult
  shop: SandboxControl
  conduct: Conduct
}

/** Refunds are completed soon, so that tests need not wait for them. */
const REFUND_DELAY = '200ms'
/** For requests that still are under way when the command ends: their money belongs to the run. */
const SETTLE_WITHIN = '5s'

export async function runInSandbox(setup: SuiteSetup, round: Round): Promise<Ran> {
  const { command, env, ignoredRules, simulator, stopped, url } = setup
  const { name, behaviors, limitMs, outputFile } = round
  const webhook = await webhookAddress(setup.webhookUrl)
  try {
    const shop = simulator.create({
      name: sandboxNameOf(name),
      rateLimit: 'off',
      refundDelay: REFUND_DELAY,
      webhook: { url: webhook.url },
      conduct: { ignore: ignoredRules },
    })
    shop.arm(behaviors)
    let unanswered = 0
    const child = await runChild({
      command,
      ...(outputFile !== undefined && { outputFile }),
      limitMs: () => limitMs(shop),
      onLimit: () => {
        unanswered = shop.requests().filter(isUnanswered).length
      },
      stopped,
      env: {
        ...env,
        PAYSIM_URL: url,
        PAYSIM_API_KEY: shop.apiKey,
        PAYSIM_WEBHOOK_SECRET: shop.signingSecret,
        PAYSIM_WEBHOOK_URL: webhook.url,
        PAYSIM_WEBHOOK_PORT: webhook.port,
        PAYSIM_TROUBLE: name,
        // A runner that writes there would do so in each of fifty runs.
        ...(outputFile !== undefined && { GITHUB_STEP_SUMMARY: '' }),
      },
    })
    // Retries of webhooks whose receiver has ended may keep it from settling; only the requests matter here.
    if (!stopped.aborted) await shop.settle({ within: SETTLE_WITHIN }).catch(() => {})
    return {
      child: child.wasCutOff ? { ...child, failure: cutOffText(child.failure!, unanswered) } : child,
      shop,
      conduct: shop.conduct(child.wasCutOff ? { ignore: { ...ignoredRules, ...OF_THE_KILL } } : {}),
    }
  } finally {
    webhook.release()
  }
}

/** A sandbox is named in fewer characters than a trouble. */
const sandboxNameOf = (name: string): string => name.replaceAll(':', '-')

/** What a run that was ended did not do any more, it might have done. */
const OF_THE_KILL = Object.fromEntries(
  RULES.flatMap(({ id, needsTheEnd }) => (needsTheEnd ? [[id, 'the run was ended before its end']] : [])),
)

type Summary = ReturnType<SandboxControl['requests']>[number]

/** It waits still, or nothing came that could be read. */
const isUnanswered = ({ answeredAt, fault }: Summary): boolean =>
  answeredAt === null || arrivingUnder(fault) !== 'whole'

function cutOffText(failure: string, unanswered: number): string {
  const after = unanswered === 0 ? '' : `, after ${counted(unanswered, 'request')} without an answer`
  return `${failure}${after}; --limit lets it take longer`
}
