/** Collects evidence of a real service, and writes what was learned of it as a profile. */
import { writeFile } from 'node:fs/promises'
import type { Scenario } from '../../sandbox/scenario-file/format.ts'
import { counted } from '../../spec/contract/counted.ts'
import { Secrets } from '../../spec/secrets.ts'
import type { SentWebhook, ServiceEvidence, ServiceExchange } from '../learn/evidence.ts'
import { type Learned, learn } from '../learn/learn.ts'
import { evidenceOf, isEvidence, LearnedWords } from '../learn/played.ts'
import type { MendingKey } from '../player/difference-groups.ts'
import type { TargetLessons } from '../player/run-setup.ts'
import type { PlayedFile } from '../player/session.ts'
import { mendingKey } from '../shadow/mending-key.ts'
import { keyLines } from './profile.ts'
import { terminal } from './terminal.ts'

export class Lessons implements TargetLessons {
  readonly #file: string | undefined
  readonly #secrets: Secrets
  readonly #exchanges: ServiceExchange[] = []
  readonly #webhooks: SentWebhook[] = []
  #heard: LearnedWords | undefined

  /** `file` is where the learned profile is written. If it is undefined, only the differences are printed. */
  constructor(file: string | undefined, secrets = new Secrets()) {
    this.#file = file
    this.#secrets = secrets
  }

  add({ exchanges, webhooks }: ServiceEvidence): void {
    this.#exchanges.push(...exchanges)
    this.#webhooks.push(...webhooks)
  }

  wordsFor(scenario: Scenario, ours: PlayedFile): LearnedWords {
    this.#heard = new LearnedWords(ours, this.#exchanges, isEvidence(scenario))
    return this.#heard
  }

  addPlayed(scenario: Scenario, ours: PlayedFile, theirs: PlayedFile): void {
    if (!isEvidence(scenario)) return
    const { exchanges, webhooks } = evidenceOf(ours, theirs)
    const setsDelay = scenario.sandbox?.refundDelay !== undefined
    this.add({
      exchanges: (this.#heard?.exchanges ?? exchanges).map((one) => ({ ...one, setsDelay })),
      webhooks: webhooks.map((one) => ({ ...one, setsDelay })),
    })
  }

  learned = (): Learned => learn({ exchanges: this.#exchanges, webhooks: this.#webhooks })

  mendingKey(): MendingKey {
    const { keys } = this.learned()
    return (difference, answer) => mendingKey(difference, answer, keys)
  }

  async write(): Promise<void> {
    if (this.#file === undefined) return
    const learned = this.learned()
    await writeFile(this.#file, this.#secrets.hide(learnedText(learned)))
    terminal.out(`${this.#file}: ${learnedInWords(learned)}`)
    for (const remark of learned.remarks) terminal.out(this.#secrets.hide(`  ${remark}`))
  }
}

const learnedInWords = ({ keys, seen, remarks }: Learned): string =>
  `${counted(keys.length, 'key')} learned, of ${counted(seen.size, 'key')} of which something was seen` +
  (remarks.length === 0
    ? ''
    : `; ${counted(remarks.length, 'difference')} without a key or without agreement:`)

const LEARNED_HEAD = `# What was learned of the service, each key with what was seen. paysim profile says what each key means.
# What no answer showed has its default: paysim run --compare --profile FILE shows what is left.
`

/** The profile as a file, with the remarks at its end. */
export function learnedText({ keys, remarks }: Learned): string {
  const lines = keyLines(
    keys.map(({ path, value, decision, evidence }) => ({
      path,
      value,
      comment: `${decision}, ${inOneLine(evidence)}`,
    })),
  )
  const rest = remarks.map((remark) => `# ${inOneLine(remark)}\n`)
  return [
    LEARNED_HEAD,
    lines === '' ? '{}\n' : `${lines}\n`,
    ...(rest.length === 0 ? [] : ['\n# No key says, or what was seen does not agree:\n', ...rest]),
  ].join('')
}

const inOneLine = (text: string) => text.replaceAll(/\s+/g, ' ')
