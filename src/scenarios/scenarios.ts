/**
 * The scripted trouble of one sandbox: where what a tester asked for meets what happens. The service asks at its few
 * places of interruption whether anything is to be done; mostly, nothing is.
 */
import type { Interruptions, Passage, Refusal } from '../gate/interruptions.ts'
import type { RateLimit } from '../gate/rate-limit.ts'
import type { Answer } from '../gate/request.ts'
import type { Clock } from '../world/clock.ts'
import type { Random } from '../world/random.ts'
import type { Act, Stage } from './faults/fault.ts'
import { prepare } from './faults/registry.ts'
import { Parking } from './parking.ts'

interface Parts {
  clock: Clock
  rateLimit: RateLimit
  /** A stream of its own: what is drawn here moves no id. */
  chances: Random
}

export class Scenarios implements Interruptions {
  readonly #parking: Parking
  readonly #stage: Stage
  /** What is still to be done to a request after its commit. */
  readonly #later = new WeakMap<Passage, Act[]>()

  constructor(parts: Parts) {
    this.#parking = new Parking(parts.clock)
    this.#stage = { ...parts, parking: this.#parking }
  }

  get parked(): number {
    return this.#parking.size
  }

  beforeOperation(passage: Passage): Promise<Refusal | undefined> | undefined {
    const header = passage.entry.headers['x-sim']
    if (header !== undefined) return this.#obey(header, passage)
    return undefined
  }

  afterCommit(passage: Passage, answer: Answer): Promise<Answer> | undefined {
    const acts = this.#later.get(passage)
    return acts && this.#spoil(acts, passage, answer)
  }

  /** Ends every wait: what is in flight goes on as if nobody had stopped it. */
  letGo(): void {
    this.#parking.close()
  }

  /** Reading the header is learned when the first one comes: most simulators never see one. */
  async #obey(header: string, passage: Passage): Promise<Refusal | undefined> {
    const { readXSim } = await import('./x-sim.ts')
    const acts = readXSim(header).map((words) => prepare(words, this.#stage))
    for (const { does } of acts) {
      passage.entry.behaviors.push({
        behavior: 'X-Sim',
        did: does,
        fired: true,
        why: 'the header asks for it',
      })
    }
    return this.#play(acts, passage)
  }

  async #play(acts: Act[], passage: Passage): Promise<Refusal | undefined> {
    const later = acts.filter(({ afterCommit }) => afterCommit)
    if (later.length > 0) this.#later.set(passage, later)
    for (const act of acts) {
      const instead = await act.before?.(passage)
      if (instead) return instead
    }
    return undefined
  }

  async #spoil(acts: Act[], passage: Passage, answer: Answer): Promise<Answer> {
    let spoiled = answer
    for (const act of acts) spoiled = (await act.afterCommit?.(passage, spoiled)) ?? spoiled
    return spoiled
  }
}
