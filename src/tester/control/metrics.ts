/** Counts and durations in the text format of Prometheus. Requests are counted when answered, the rest when scraped. */

import { hostname } from 'node:os'
import type { JournalEntry } from '../../service/door/journal-entry.ts'
import { DELIVERY_STATUSES } from '../../service/store/deliveries.ts'
import type { WorkCounts } from '../../service/store/store.ts'
import { VERSION } from '../../spec/package.ts'

/** Identifies a process behind a proxy. In a container the host name is the container's or the pod's. */
export const PROCESS_NAME = `${hostname()}:${process.pid}`

/** Upper bounds in seconds. Most responses take less than the first. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** One sandbox's values for metrics. */
export interface Measured {
  readonly inFlight: number
  readonly counts: WorkCounts
}

/** The counters of an operation. */
class MeasuredOperation {
  readonly byStatus = new Map<number, number>()
  readonly #buckets = BUCKETS.map(() => 0)
  #seconds = 0
  #answered = 0

  count(status: number, seconds: number): void {
    this.byStatus.set(status, (this.byStatus.get(status) ?? 0) + 1)
    const bucket = BUCKETS.findIndex((bound) => seconds <= bound)
    if (bucket !== -1) this.#buckets[bucket]! += 1
    this.#seconds += seconds
    this.#answered += 1
  }

  histogram(name: string, operation: string): string[] {
    let upTo = 0
    const label = `operation="${operation}"`
    const buckets = BUCKETS.map((bound, index) => {
      upTo += this.#buckets[index]!
      return `${name}_bucket{${label},le="${bound}"} ${upTo}`
    })
    return [
      ...buckets,
      `${name}_bucket{${label},le="+Inf"} ${this.#answered}`,
      `${name}_sum{${label}} ${this.#seconds}`,
      `${name}_count{${label}} ${this.#answered}`,
    ]
  }
}

export class Metrics {
  readonly #byOperation = new Map<string, MeasuredOperation>()
  #clientsLeft = 0

  /** Counts a request that has been answered. */
  count = ({ clientLeft, took, operation, status }: JournalEntry): void => {
    const name = operation ?? 'none'
    let measured = this.#byOperation.get(name)
    if (!measured) {
      measured = new MeasuredOperation()
      this.#byOperation.set(name, measured)
    }
    measured.count(status!, took / 1000)
    if (clientLeft) this.#clientsLeft += 1
  }

  /** A sandbox that has changed since the last scrape is counted again. */
  text(sandboxes: Iterable<Measured>): string {
    const total = { sandboxes: 0, inFlight: 0, agendaItems: 0, pending: 0, delivered: 0, failed: 0 }
    for (const { inFlight, counts } of sandboxes) {
      total.sandboxes += 1
      total.inFlight += inFlight
      total.agendaItems += counts.agendaItems
      for (const status of DELIVERY_STATUSES) total[status] += counts.deliveries[status]
    }
    const lines = [
      ...metric('paysim_build_info', 'gauge', 'The version, and the process that answered'),
      `paysim_build_info{version="${VERSION}",process="${PROCESS_NAME}"} 1`,
      ...metric('paysim_requests_total', 'counter', 'Requests under /v1, by operation and status'),
      ...[...this.#byOperation].flatMap(([operation, { byStatus }]) =>
        [...byStatus].map(
          ([status, count]) => `paysim_requests_total{operation="${operation}",status="${status}"} ${count}`,
        ),
      ),
      ...metric('paysim_request_duration_seconds', 'histogram', "How long they took, by the machine's clock"),
      ...[...this.#byOperation].flatMap(([operation, measured]) =>
        measured.histogram('paysim_request_duration_seconds', operation),
      ),
      ...metric('paysim_clients_left_total', 'counter', 'Requests whose client had gone before the answer'),
      `paysim_clients_left_total ${this.#clientsLeft}`,
      ...metric('paysim_requests_in_flight', 'gauge', 'Requests that are not answered yet'),
      `paysim_requests_in_flight ${total.inFlight}`,
      ...metric('paysim_deliveries', 'gauge', 'Deliveries of webhooks, by what became of them'),
      ...DELIVERY_STATUSES.map((status) => `paysim_deliveries{status="${status}"} ${total[status]}`),
      ...metric('paysim_agenda_items', 'gauge', 'Pending work'),
      `paysim_agenda_items ${total.agendaItems}`,
      ...metric('paysim_sandboxes', 'gauge', 'Sandboxes'),
      `paysim_sandboxes ${total.sandboxes}`,
    ]
    return `${lines.join('\n')}\n`
  }
}

const metric = (name: string, type: 'counter' | 'gauge' | 'histogram', help: string): string[] => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} ${type}`,
]
