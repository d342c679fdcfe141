/**
 * The folder through which a run of the gauntlet or of `paysim exec` and the processes of its tests exchange settings
 * and facts. A simulator in such a process arms the run's trouble, and leaves the facts of its sandboxes there.
 */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Armable } from '../../sandbox/scenario-file/armable.ts'
import type { ProfileChanges } from '../../spec/contract/profile.ts'
import type { SandboxFacts, TestLabel } from './facts.ts'
import { ignoring } from './output-folder.ts'

/** Names the folder of the run. */
export const RUN_VARIABLE = 'PAYSIM_GAUNTLET'

export interface RunRules {
  behaviors: readonly Armable[]
  profile?: ProfileChanges | undefined
  /** Audit rules that are not applied, each with its reason. */
  ignoredRules: Readonly<Record<string, string>>
}

export interface RunSettings extends RunRules {
  /** How long one test may take; undefined without a trouble. */
  patienceMs?: number | undefined
}

/** What is known of a sandbox while its run goes on. */
export interface Live {
  /** How often each behavior of the trouble has acted. */
  fired: readonly number[]
  /** A request whose client waits, by the machine's clock. */
  waiting: { request: string; since: number } | null
}

const SETTINGS = 'run.json'
const FACTS = 'facts.jsonl'
const LIVE = 'live.jsonl'
/** A folder for each sandbox, made when it is opened. */
const SANDBOX = 'sandbox-'
/** Begins the names of files: one for each sandbox of the run's own simulator whose test the test runner has named. */
const LABEL = 'test-of-'

/** The run that this process belongs to. */
export function runOfThisProcess(): RunFolder | undefined {
  const path = process.env[RUN_VARIABLE]
  return path && existsSync(join(path, SETTINGS)) ? new RunFolder(path) : undefined
}

/** The sandbox of the run that this process belongs to, from the variables of the run. */
export function sandboxOfRun() {
  const { PAYSIM_URL: url, PAYSIM_API_KEY: apiKey, PAYSIM_WEBHOOK_SECRET: signingSecret } = process.env
  if (!runOfThisProcess() || !url || !apiKey || !signingSecret) return undefined
  return { url, apiKey, signingSecret }
}

export class RunFolder {
  readonly path: string
  /** The last line in `live.jsonl` of each sandbox. */
  readonly #written = new Map<string, string>()

  constructor(path: string) {
    this.path = path
  }

  static make(path: string, settings: RunSettings): RunFolder {
    mkdirSync(path, { recursive: true })
    writeFileSync(join(path, SETTINGS), JSON.stringify(settings))
    return new RunFolder(path)
  }

  settings(): RunSettings {
    return JSON.parse(readFileSync(join(this.path, SETTINGS), 'utf8'))
  }

  /** Called when a sandbox is opened; returns the folder for its facts. */
  begun(): string {
    return mkdtempSync(join(this.path, SANDBOX))
  }

  /** A folder for the app's own files, which outlive its crashes. */
  appFolder(): string {
    const path = join(this.path, 'app')
    mkdirSync(path, { recursive: true })
    return path
  }

  writeLive(folder: string, live: Live): void {
    const text = JSON.stringify(live)
    if (this.#written.get(folder) === text) return
    this.#written.set(folder, text)
    appendLine(join(folder, LIVE), text)
  }

  /** Called when a sandbox has ended. Without requests it has no facts. */
  ended(folder: string, facts: readonly SandboxFacts[]): void {
    this.#written.delete(folder)
    appendLine(join(folder, FACTS), JSON.stringify(facts))
  }

  label(sandbox: string, label: TestLabel): void {
    writeFileSync(join(this.path, `${LABEL}${sandbox}.json`), JSON.stringify(label))
  }

  labelOf(sandbox: string): TestLabel | undefined {
    const file = join(this.path, `${LABEL}${sandbox}.json`)
    return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true })
  }

  live(): Live[] {
    return this.#read<Live>(LIVE).files
  }

  /** The facts of all sandboxes, and how many ended with their process before they could be written. */
  facts(): { facts: SandboxFacts[]; lost: number } {
    const { files, folders } = this.#read<SandboxFacts[]>(FACTS)
    const nameOf = ({ label, sandbox }: SandboxFacts) => `${label?.test ?? ''} ${sandbox}`
    const facts = files.flat().sort((a, b) => nameOf(a).localeCompare(nameOf(b)))
    return { facts, lost: folders - files.length }
  }

  #read<Content>(file: string): { files: Content[]; folders: number } {
    const folders = readdirSync(this.path).filter((name) => name.startsWith(SANDBOX))
    const last = folders.flatMap((name) => lastLine(join(this.path, name, file)))
    return { files: last.map((text) => JSON.parse(text)), folders: folders.length }
  }
}

/** The folder may be gone if the process has outlived its run. */
const appendLine = (file: string, text: string): void =>
  ignoring(['ENOENT'], () => appendFileSync(file, `${text}\n`))

/** Without its end, a line is not read: the process may be killed while it writes. */
const lastLine = (file: string): string[] =>
  existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(-2, -1) : []
