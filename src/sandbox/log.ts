/** The lines that one sandbox writes to the log of its simulator. */

import type { JournalEntry } from '../service/door/journal-entry.ts'
import type { Work } from '../service/store/agenda.ts'
import type { DeliveryResult } from '../service/webhooks/webhooks.ts'
import type { Contract } from '../spec/contract/contract.ts'
import { formatDuration } from '../spec/contract/duration.ts'
import type { NotStored } from '../spec/contract/errors.ts'
import { RATE_LIMIT_REQUESTS, RATE_LIMIT_WINDOW_MS } from '../spec/contract/limits.ts'
import type { Environment } from '../spec/environments/environment.ts'
import type { Log } from '../spec/log.ts'
import { wallClock } from '../spec/world/clock.ts'

const FLAGS = { staging: '--rate-limit', production: '--production-rate-limit' } as const

/** A limit in words, and the flag that changes it. Only the service's own number is described as the environment's. */
export function rateLimitText(limit: number, { rateWindowMs }: Contract, environment: Environment) {
  const window = rateWindowMs === RATE_LIMIT_WINDOW_MS ? 'a minute' : `in ${formatDuration(rateWindowMs)}`
  const alike = limit === RATE_LIMIT_REQUESTS ? `, like ${environment}` : ''
  return { requests: `${limit} requests ${window} for each IP${alike}`, flag: FLAGS[environment] }
}

export function sandboxLog(sandbox: string, contract: Contract, environment: Environment, write: Log) {
  const log: Log = (level, message, fields) => write(level, message, { sandbox, ...fields })
  let rateLimitExplained = false
  let diskReportedAt = 0

  return {
    /** Logged once per sandbox: a platform under load would fill the log. */
    rateLimited({ id, ip }: JournalEntry, limit: number): void {
      if (rateLimitExplained) return
      rateLimitExplained = true
      const { requests, flag } = rateLimitText(limit, contract, environment)
      log('warn', `429 for ${ip}: more than ${requests}. ${flag} N or off changes it.`, {
        request: id,
      })
    },

    /** Logs each attempt: a developer looks here first when no webhook arrives. */
    attempted({ delivery, text, retryAfterMs, disabled }: DeliveryResult): void {
      if (delivery.status === 'delivered') return
      const next =
        retryAfterMs === undefined ? 'no further attempt' : `again in ${formatDuration(retryAfterMs)}`
      log('warn', `webhook ${text}; ${next}`, {
        delivery: delivery.id,
      })
      if (disabled === undefined) return
      log('warn', `${disabled} responded 410 and is disabled; PUT /_sim/webhook enables it again`)
    },

    /** Logged once a minute: on a full disk every request that writes fails. */
    notStored({ message, cause }: NotStored): void {
      if (wallClock() < diskReportedAt + 60_000) return
      diskReportedAt = wallClock()
      log('error', `${message}; due refunds and webhooks wait for free space`, {
        reason: cause instanceof Error ? cause.message : cause,
      })
    },

    bug(entry: JournalEntry, cause: unknown): void {
      log('error', `500 for ${entry.asked.method} ${entry.asked.target}`, {
        request: entry.id,
        cause,
      })
    },

    workFailed(cause: unknown, work?: Work): void {
      log('error', 'later work failed', { ...work, cause })
    },
  }
}

export type SandboxLog = ReturnType<typeof sandboxLog>
