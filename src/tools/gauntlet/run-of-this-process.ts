/**
 * Tells whether this process belongs to a run of the gauntlet or of `paysim exec`. If so, a simulator in it
 * arms the run's trouble, and leaves the facts of its sandboxes in the run's folder.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Armable } from '../../sandbox/scenario-file/armable.ts'

/** Names the folder of the run. */
export const RUN_VARIABLE = 'PAYSIM_GAUNTLET'

/** The settings that a run gives to the processes of the tests. */
export interface RunRules {
  behaviors: readonly Armable[]
  /** Rules of conduct that are not applied, each with its reason. */
  ignoredRules: Readonly<Record<string, string>>
}

/** What the run tells the processes of the tests. */
export interface RunSettings extends RunRules {
  /** How long one test may take; undefined where there is no trouble. */
  patienceMs?: number | undefined
}

/** The test for which a sandbox was made, from the test runner. */
export interface TestLabel {
  /** Its file and its names, such as `refund.test.js > a lost answer does not refund twice`. */
  test: string
  failed: boolean
  /** The number of the attempt: a failed test may be tried again. */
  attempt: number
}

const SETTINGS = 'run.json'
const FACTS = 'facts.json'
/** A folder for each sandbox in a process of the tests, made when it is opened. */
const SANDBOX = 'sandbox-'
/** Begins the names of files: one for each sandbox of the run's own simulator whose test the test runner has named. */
const LABEL = 'test-of-'

/** The run that this process belongs to. */
export function runOfThisProcess(): RunFolder | undefined {
  const path = process.env[RUN_VARIABLE]
  return path && existsSync(join(path, SETTINGS)) ? new RunFolder(path) : undefined
}

/** The sandbox of the run that this process belongs to, as the variables of the run say it. */
export function sandboxOfRun() {
  const { PAYSIM_URL: url, PAYSIM_API_KEY: apiKey, PAYSIM_WEBHOOK_SECRET: signingSecret } = process.env
  if (!runOfThisProcess() || !url || !apiKey || !signingSecret) return undefined
  return { url, apiKey, signingSecret }
}

/** The folder through which a run and the processes of its tests exchange settings and facts. */
export class RunFolder {
  readonly path: string

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

  /** Called when a sandbox begins; returns the folder for its facts. */
  begun(): string {
    return mkdtempSync(join(this.path, SANDBOX))
  }

  /** Writes the facts whole or not at all, as the process may be killed at any time. */
  static ended(folder: string, facts: unknown): void {
    writeFileSync(join(folder, 'writing'), JSON.stringify(facts))
    renameSync(join(folder, 'writing'), join(folder, FACTS))
  }

  /** Removes the folder of a sandbox that got no request. */
  static nothingCame(folder: string): void {
    rmdirSync(folder)
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

  /** The facts that sandboxes in processes of the tests wrote, and how many ended with their process before they could. */
  left<Facts>(): { facts: Facts[]; lost: number } {
    const folders = readdirSync(this.path).filter((name) => name.startsWith(SANDBOX))
    const files = folders.map((name) => join(this.path, name, FACTS)).filter((file) => existsSync(file))
    return {
      facts: files.map((file) => JSON.parse(readFileSync(file, 'utf8'))),
      lost: folders.length - files.length,
    }
  }
}
