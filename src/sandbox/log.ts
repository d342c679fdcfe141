/** The lines that one sandbox writes to the log of its simulator. */

import type { DoorReport } from '../service/door/door.ts'
import type { JournalEntry } from '../service/door/journal-entry.ts'
import type { Work } from '../service/store/agenda.ts'
import type { DeliveryResult } from '../service/webhooks/webhooks.ts'
import type { Contract } from '../spec/contract/contract.ts'
import { formatDuration } from '../spec/contract/duration.ts'
import type { NotStored } from '../spec/contract/errors.ts'
import { RATE_LIMIT_REQUESTS, RATE_LIMIT_WINDOW_MS } from '../spec/contract/limits.ts'
import type { Log } from '../spec/log.ts'
import { wallClock } from '../spec/world/clock.ts'

export class SandboxLog implements DoorReport {
  readonly #sandbox: string
  readonly #contract: Contract
  readonly #log: Log
  #rateLimitExplained = false
  #diskReportedAt = 0

  constructor(sandbox: string, contract: Contract, log: Log) {
    this.#sandbox = sandbox
    this.#contract = contract
    this.#log = log
  }

  /** Logged once for each sandbox: a platform under load would fill the log. */
  rateLimited({ id, ip }: JournalEntry, limit: number): void {
    if (this.#rateLimitExplained) return
    this.#rateLimitExplained = true
    this.#log(
      'warn',
      `429 for ${ip}: more than ${limit} requests in ${this.#windowText()}${limit === RATE_LIMIT_REQUESTS ? ', like staging' : ''}. --rate-limit N or off changes it.`,
      { sandbox: this.#sandbox, request: id },
    )
  }

  #windowText(): string {
    const { rateWindowMs } = this.#contract
    return rateWindowMs === RATE_LIMIT_WINDOW_MS ? 'a minute' : formatDuration(rateWindowMs)
  }

  /** Logs each attempt: a developer looks here first when no webhook arrives. */
  attempted({ delivery, text, retryAfterMs, disabled }: DeliveryResult): void {
    if (delivery.status === 'delivered') return
    const next =
      retryAfterMs === undefined ? 'no further attempt' : `again in ${formatDuration(retryAfterMs)}`
    this.#log('warn', `webhook ${text}; ${next}`, {
      sandbox: this.#sandbox,
      delivery: delivery.id,
    })
    if (disabled === undefined) return
    this.#log('warn', `${disabled} answered 410 and gets nothing more; PUT /_sim/webhook turns it on again`, {
      sandbox: this.#sandbox,
    })
  }

  /** Logged once a minute: on a full disk every request that writes fails. */
  notStored({ message, cause }: NotStored): void {
    if (wallClock() < this.#diskReportedAt + 60_000) return
    this.#diskReportedAt = wallClock()
    this.#log('error', `${message}; refunds and webhooks that are due wait for room`, {
      sandbox: this.#sandbox,
      reason: cause instanceof Error ? cause.message : cause,
    })
  }

  bug(entry: JournalEntry, cause: unknown): void {
    this.#log('error', `500 for ${entry.asked.method} ${entry.asked.target}`, {
      sandbox: this.#sandbox,
      request: entry.id,
      cause,
    })
  }

  workFailed(cause: unknown, work?: Work): void {
    this.#log('error', 'later work failed', { sandbox: this.#sandbox, ...work, cause })
  }
}
