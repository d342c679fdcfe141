// Reports which planted bugs the gauntlet finds, when, and which of its files show the same money without the program:
// after npm run build, node test/programs/corpus.mjs [--quick] [--budget 4m] [PART].
// PART is part of a bug's name, or of the failures it needs. --quick tries fewer kinds of failure.
import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { BUGS, copyPrograms, PROGRAMS } from './bugs.mjs'

const { values, positionals } = parseArgs({
  options: { quick: { type: 'boolean' }, budget: { type: 'string', default: '5m' } },
  allowPositionals: true,
})
const MAIN = join(import.meta.dirname, '../../dist/main.js')
const KINDS =
  'answer-lost-once,request-lost-once,cut-short-once,garbled-once,in-flight-once,internal-error-once,rate-limit-once'
const FLAGS = {
  refusal: ['--only', 'refusal-kept'],
  pair: ['--depth', '2', '--budget', values.budget, ...(values.quick ? ['--only', KINDS] : [])],
  crash: ['--only', 'crash'],
  doubt: ['--only', 'doubts'],
}

/** Runs paysim in a folder, with its temporary files there; returns its exit code and output. */
async function paysim(args, cwd) {
  const env = { ...process.env, TMPDIR: cwd, NO_COLOR: '1' }
  const child = spawn(process.execPath, [MAIN, ...args], { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  for await (const chunk of child.stdout.setEncoding('utf8')) output += chunk
  const code = child.exitCode ?? (await new Promise((resolve) => child.on('exit', resolve)))
  return { code, output }
}

/** Returns when the run of this name ended, in seconds after `startedAt`. */
function endedAfter(cwd, { name, tookMs }, startedAt) {
  const folder = readdirSync(cwd).find((file) => file.startsWith('paysim-gauntlet-'))
  const { birthtimeMs } = statSync(join(cwd, folder, `${name.replaceAll(':', '-')}.log`))
  return Math.round((birthtimeMs + tookMs - startedAt) / 1000)
}

/** Returns how `paysim run` fails for these files in an empty folder; undefined if all of them show the same money. */
async function whyNotReplayed(cwd, files) {
  if (files.length === 0) return undefined
  const empty = join(cwd, 'empty')
  mkdirSync(empty)
  for (const file of files) cpSync(join(cwd, file), join(empty, file))
  const { code, output } = await paysim(['run', '.'], empty)
  return code === 0 ? undefined : output
}

const isFinding = ({ verdict }) => !['survived', 'not judged', 'not exercised', 'not run'].includes(verdict)
const isPair = ({ name }) => name.includes('+')

async function lookFor(name, { file, needs, verdict, reason }) {
  const cwd = mkdtempSync(join(tmpdir(), 'paysim-corpus-'))
  try {
    copyPrograms(cwd, name)
    const app = file === 'server.mjs' ? ['--app', `"${process.execPath}" ${file}`] : []
    const flags = [...FLAGS[needs], ...app, '--report', 'json=report.json']
    const startedAt = Date.now()
    const { output } = await paysim(['gauntlet', ...flags, '--', ...PROGRAMS[file]], cwd)
    const took = Math.round((Date.now() - startedAt) / 1000)
    const found = JSON.parse(readFileSync(join(cwd, 'report.json'), 'utf8')).troubles.filter(isFinding)
    const isRight = (row) =>
      verdict.split('|').includes(row.verdict) &&
      RegExp(reason, 's').test([row.name, ...row.reasons].join('\n'))
    const right = found.filter(isRight)
    const ends = right.map((row) => endedAfter(cwd, row, startedAt))
    const isSame = ({ scenario }) => scenario && scenario.differs === undefined
    // A doubt has no file.
    const withFile = needs === 'doubt' ? [] : found
    const same = withFile.filter(isSame)
    return {
      ...{ took, found, first: right[0], after: Math.min(...ends), same: same.length, of: withFile.length },
      alone: needs === 'pair' ? found.filter((row) => !isPair(row)) : [],
      tried: /^Pairs of failures: .*$/m.exec(output)?.[0] ?? '',
      differing: withFile
        .filter((row) => !isSame(row))
        .map(({ name, scenario, notes }) => `${name}: ${scenario?.differs ?? notes.join(' ')}`),
      wrong: await whyNotReplayed(
        cwd,
        same.map(({ scenario }) => scenario.path),
      ),
    }
  } finally {
    rmSync(cwd, { recursive: true })
  }
}

const times = {}
const files = { same: 0, of: 0 }
for (const [name, bug] of Object.entries(BUGS)) {
  const { needs } = bug
  if (needs === undefined || !positionals.every((part) => `${needs} ${name}`.includes(part))) continue
  const { took, found, first, after, same, of, alone, tried, differing, wrong } = await lookFor(name, bug)
  times[needs] ??= []
  times[needs].push(after)
  files.same += same
  files.of += of
  const shown = first ?? found[0]
  const what = shown
    ? `${first ? `after ${after} s` : 'unexpected'}: ${shown.name}: ${shown.verdict}: ${shown.reasons[0]}`
    : 'not found'
  console.log(`${needs.padEnd(5)}  ${name.padEnd(54)}  ${String(took).padStart(4)} s  ${what}`)
  for (const row of alone)
    console.log(`    by a single failure: ${row.name}: ${row.verdict}: ${row.reasons[0]}`)
  console.log(`    ${tried} Files with the same money: ${same} of ${of}`)
  for (const why of differing) console.log(`    ${why}`)
  if (wrong !== undefined) console.log(`    paysim run fails:\n${wrong}`)
}
for (const [needs, after] of Object.entries(times)) {
  const found = after.filter(Number.isFinite).sort((a, b) => a - b)
  console.log(`${needs}: ${found.length} of ${after.length}, after ${found.join(', ')} s`)
}
console.log(`files with the same money: ${files.same} of ${files.of}`)
