/** Waiting times other than requests: an import, a test run, the gauntlet, the editor. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startLanguageServer } from '../package/language-server.ts'
import { type Cost, inTurns } from './measure.ts'
import type { Costs, Effort, Name } from './rows.ts'
import { DIST } from './server.ts'
import { type Kind, startProject } from './test-files.ts'

const ROOT = join(DIST, '..')

export const namesIn = ({ beside }: Pick<Effort, 'beside'>): Name[] => [
  'base',
  'paysim',
  ...(beside ? (['beside'] as const) : []),
]

/** Skips the first turn, which loads the files into the system's cache. */
const turnsOf = async (effort: Effort, count: number, take: (name: Name) => Promise<Cost>) =>
  (await inTurns(namesIn(effort), count + 1, take)).slice(1)

/** Thirty test files, compared with the same number without paysim. A run takes seconds, so there are few turns. */
export const testFiles =
  (kind: Kind) =>
  async (effort: Effort): Promise<Costs[]> => {
    const projects = {
      base: startProject('bare', DIST),
      paysim: startProject(kind, DIST),
      ...(effort.beside && { beside: startProject(kind, effort.beside) }),
    } as Record<Name, ReturnType<typeof startProject>>
    try {
      return await turnsOf(effort, effort.processes, async (name) => projects[name].run())
    } finally {
      for (const project of Object.values(projects)) project.remove()
    }
  }

/** A process that only imports paysim, compared with one that only imports zod. */
export const imports = (effort: Effort): Promise<Costs[]> =>
  turnsOf(effort, effort.starts, async (name) => {
    const dist = name === 'beside' ? effort.beside! : DIST
    const file = name === 'base' ? join(ROOT, 'node_modules/zod/index.js') : join(dist, 'index.js')
    const code = `import ${JSON.stringify(file)}
      const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
      const cpuMs = (userCPUTime + systemCPUTime) / 1000
      console.log(JSON.stringify({ ms: performance.now(), cpuMs, memoryMb: maxRSS / 1024 }))`
    return JSON.parse(run(process.execPath, ['--input-type=module', '--eval', code], ROOT)) as Cost
  })

/** One gauntlet of a shop, compared with the seconds that it may take on an idle machine. */
export const gauntlet =
  (mayTakeSeconds: number, shop: () => { folder: string; flags: string[]; command: string[] }) =>
  async ({ beside }: Effort): Promise<Costs[]> => {
    const { folder, flags, command } = shop()
    const played = (dist: string): Cost => {
      const began = performance.now()
      run(process.execPath, [join(dist, 'main.js'), 'gauntlet', ...flags, '--', ...command], folder)
      return { ms: performance.now() - began, cpuMs: Number.NaN }
    }
    const base = { ms: mayTakeSeconds * 1000, cpuMs: Number.NaN }
    return [{ base, paysim: played(DIST), beside: beside ? played(beside) : base }]
  }

export const exampleShop = () => ({
  folder: join(ROOT, 'examples/shop'),
  flags: [],
  command: [process.execPath, '--test'],
})

/** A shop that waits for a response until Node gives up, after minutes. */
export function shopWithoutTimeouts() {
  const folder = mkdtempSync(join(tmpdir(), 'paysim-bench-'))
  process.once('exit', () => rmSync(folder, { recursive: true }))
  cpSync(join(ROOT, 'test/programs'), folder, { recursive: true })
  const program = join(folder, 'sale.mjs')
  writeFileSync(program, readFileSync(program, 'utf8').replace('signal: AbortSignal.timeout(WAIT_MS),', ''))
  return { folder, flags: ['--quick'], command: [process.execPath, 'sale.mjs'] }
}

/** A program as it is being typed. The completion is requested after the last character. */
const TYPED = `import { createSimulator } from 'paysim'
const shop = createSimulator().sandbox('default')
shop.arm({ when: { op: 'refunds.create' }, do: { `

/** A response of the compiler's language server after it has read the project, compared with an unnoticeable delay of 0.1 s. */
export const editor =
  (kind: 'complete' | 'hover') =>
  async (effort: Effort): Promise<Costs[]> => {
    const project = startProject('bare', DIST)
    const server = await startLanguageServer(join(ROOT, 'node_modules/.bin/tsc'), project.folder)
    try {
      const file = join(project.folder, 'typed.mts')
      server.open(file, TYPED)
      const lines = TYPED.split('\n')
      const place = [lines.length - 1, kind === 'hover' ? 'shop.a'.length : lines.at(-1)!.length] as const
      const turns = await inTurns(['paysim'], effort.starts + 1, async (): Promise<Cost> => {
        const began = performance.now()
        if ((await server[kind](file, ...place)) === null) throw new Error(`nothing to ${kind}`)
        return { ms: performance.now() - began, cpuMs: Number.NaN }
      })
      const base = { ms: 100, cpuMs: Number.NaN }
      return turns.slice(1).map(({ paysim }) => ({ base, paysim, beside: base }))
    } finally {
      server.stop()
      project.remove()
    }
  }

function run(command: string, args: string[], cwd: string): string {
  const { stdout, stderr, status } = spawnSync(command, args, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stdout}${stderr}`)
  return stdout
}
