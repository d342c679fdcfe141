/** Counts and durations in the text format of Prometheus. Requests are counted when answered, the rest when scraped. */
import type { JournalEntry } from '../gate/journal.ts'
import type { Store } from '../store/store.ts'
import { VERSION } from '../version.ts'
import { PROCESS_NAME } from './process-name.ts'

/** Upper bounds in seconds. Most answers take less than the first. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

interface MeasuredSandbox {
  readonly journal: { readonly inFlight: ReadonlySet<JournalEntry> }
  readonly store: Pick<Store, 'agenda' | 'deliveries'>
}

export class Metrics {
  /** By operation, then by status. */
  readonly #requests = new Map<string, Map<number, number>>()
  readonly #buckets = BUCKETS.map(() => 0)
  #durationSum = 0
  #answered = 0
  #clientsLeft = 0

  /** Counts a request that has been answered. */
  count = ({ clientLeft, durationMs, operation, status }: JournalEntry): void => {
    const name = operation ?? 'none'
    let statuses = this.#requests.get(name)
    if (!statuses) {
      statuses = new Map()
      this.#requests.set(name, statuses)
    }
    statuses.set(status!, (statuses.get(status!) ?? 0) + 1)
    const seconds = durationMs / 1000
    const bucket = BUCKETS.findIndex((bound) => seconds <= bound)
    if (bucket !== -1) this.#buckets[bucket]! += 1
    this.#durationSum += seconds
    this.#answered += 1
    if (clientLeft) this.#clientsLeft += 1
  }

  text(sandboxes: readonly MeasuredSandbox[]): string {
    const sum = (count: (internals: MeasuredSandbox) => number) =>
      sandboxes.reduce((total, internals) => total + count(internals), 0)
    const lines = [
      ...metric('paysim_build_info', 'gauge', 'The version, and the process that answered'),
      `paysim_build_info{version="${VERSION}",process="${PROCESS_NAME}"} 1`,
      ...metric('paysim_requests_total', 'counter', 'Requests under /v1, by operation and status'),
      ...[...this.#requests].flatMap(([operation, statuses]) =>
        [...statuses].map(
          ([status, count]) => `paysim_requests_total{operation="${operation}",status="${status}"} ${count}`,
        ),
      ),
      ...metric('paysim_request_duration_seconds', 'histogram', "How long they took, by the machine's clock"),
      ...this.#histogram('paysim_request_duration_seconds'),
      ...metric('paysim_clients_left_total', 'counter', 'Requests whose client had gone before the answer'),
      `paysim_clients_left_total ${this.#clientsLeft}`,
      ...metric('paysim_requests_in_flight', 'gauge', 'Requests that are not answered yet'),
      `paysim_requests_in_flight ${sum(({ journal }) => journal.inFlight.size)}`,
      ...metric('paysim_deliveries', 'gauge', 'Deliveries of webhooks, by what became of them'),
      ...(['pending', 'delivered', 'failed'] as const).map(
        (status) =>
          `paysim_deliveries{status="${status}"} ${sum(({ store }) => store.deliveries.countOf(status))}`,
      ),
      ...metric('paysim_agenda_items', 'gauge', 'Work that is left for later'),
      `paysim_agenda_items ${sum(({ store }) => store.agenda.count())}`,
      ...metric('paysim_sandboxes', 'gauge', 'Sandboxes'),
      `paysim_sandboxes ${sandboxes.length}`,
    ]
    return `${lines.join('\n')}\n`
  }

  #histogram(name: string): string[] {
    let upTo = 0
    const buckets = BUCKETS.map((bound, index) => {
      upTo += this.#buckets[index]!
      return `${name}_bucket{le="${bound}"} ${upTo}`
    })
    return [
      ...buckets,
      `${name}_bucket{le="+Inf"} ${this.#answered}`,
      `${name}_sum ${this.#durationSum}`,
      `${name}_count ${this.#answered}`,
    ]
  }
}

const metric = (name: string, type: 'counter' | 'gauge' | 'histogram', help: string): string[] => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} ${type}`,
]
