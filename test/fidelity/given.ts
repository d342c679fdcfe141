/** `paysim fidelity`, run in this process. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createSimulator, type SimulatorOptions } from '../../src/index.ts'
import { resolveOptions } from '../../src/spec/options/read.ts'
import { fidelity as playFidelity } from '../../src/tools/commands/fidelity.ts'
import { Lifetime } from '../../src/tools/commands/lifetime.ts'
import { COMMANDS } from '../../src/tools/options/commands.ts'
import { folder } from '../given.ts'

export const API_KEY = 'sk_of_the_real_service'

/** A second paysim instead of the real service. */
export async function openService(options: SimulatorOptions = {}) {
  const service = createSimulator({ apiKey: API_KEY, rateLimit: 'off', log: 'silent', ...options })
  onTestFinished(() => service.close())
  const { url } = await service.listen()
  return { url, shop: service.sandbox('default') }
}

export interface Report {
  text: string
  keys: { key: string; value: unknown; evidence: string }[]
  groups: { sentence: string; times: number; first: string }[]
  remarks: string[]
  changes: string[]
}

export interface Outcome {
  code: number
  out: string
  err: string
  /** The written files: the profile, and the reports in their formats. */
  profile: string
  json: string
  html: string
  junit: string
  report: Report
  /** The two numbers of `412 of 430 observations alike`. */
  alike: number
  observations: number
}

/** `flags` as on the command line. */
export async function fidelity(
  flags: Record<string, unknown>,
  life = new Lifetime(),
  hear: (line: string) => void = () => {},
): Promise<Outcome> {
  const place = folder()
  const [out, json, html, junit] = ['out.yaml', 'json', 'html', 'junit'].map((name) => join(place, name)) as [
    string,
    string,
    string,
    string,
  ]
  const reports = [`json=${json}`, `html=${html}`, `junit=${junit}`]
  const options = resolveOptions('fidelity', COMMANDS.fidelity.options, {
    flags: { out, reports, ...flags },
    env: {},
  })
  const lines: string[] = []
  const errors: string[] = []
  const code = await playFidelity(options, life, {
    out(line) {
      lines.push(line)
      hear(line)
    },
    err: (line) => errors.push(line),
  })
  await life.end()
  const [profile, ...written] = await Promise.all(
    [out, json, html, junit].map((file) => readFile(file, 'utf8').catch(() => '')),
  )
  const report = written[0] ? JSON.parse(written[0]) : { text: '' }
  const [alike, observations] = (report.text.match(/([\d,]+) of ([\d,]+) observation/) ?? [])
    .slice(1)
    .map((text: string) => Number(text.replaceAll(',', '')))
  return {
    code,
    out: lines.join('\n'),
    err: errors.join('\n'),
    profile: profile!,
    json: written[0]!,
    html: written[1]!,
    junit: written[2]!,
    report,
    alike: alike ?? 0,
    observations: observations ?? 0,
  }
}

/** Writes a file for the command. */
export async function fileOf(name: string, text: string): Promise<string> {
  const path = join(folder(), name)
  await writeFile(path, text)
  return path
}
