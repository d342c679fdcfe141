// What the gauntlet finds of the planted bugs, as a table: after npm run build, node test/programs/corpus.mjs [--catalog | --quick] [PART].
// PART is a part of the bugs' names, or of what they need. --catalog tries single failures only, --quick fewer kinds of failure.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { BUGS, copyPrograms, PROGRAMS } from './bugs.mjs'

const { values, positionals } = parseArgs({
  options: { catalog: { type: 'boolean' }, quick: { type: 'boolean' } },
  allowPositionals: true,
})
const MAIN = join(import.meta.dirname, '../../dist/main.js')
const KINDS =
  'answer-lost-once,request-lost-once,cut-short-once,garbled-once,in-flight-once,internal-error-once,rate-limit-once'
const FLAGS = {
  pair: ['--depth', '2', ...(values.quick ? ['--only', KINDS] : [])],
  crash: ['--only', 'crash'],
  doubt: ['--only', 'doubts'],
}

async function rowsOf(name, { file, needs }) {
  const cwd = mkdtempSync(join(tmpdir(), 'paysim-corpus-'))
  try {
    copyPrograms(cwd, name)
    const app = file === 'server.mjs' ? ['--app', `"${process.execPath}" ${file}`] : []
    const flags = [...(values.catalog ? [] : FLAGS[needs]), ...app, '--report', 'json=report.json']
    const command = [MAIN, 'gauntlet', '--jobs', '8', ...flags, '--', ...PROGRAMS[file]]
    const child = spawn(process.execPath, command, { cwd, stdio: ['ignore', 'ignore', 'inherit'] })
    await new Promise((resolve) => child.on('exit', resolve))
    return JSON.parse(readFileSync(join(cwd, 'report.json'), 'utf8')).troubles
  } finally {
    rmSync(cwd, { recursive: true })
  }
}

const isFinding = ({ verdict }) => !['survived', 'not exercised', 'not run'].includes(verdict)
const counts = {}
for (const [name, bug] of Object.entries(BUGS)) {
  const { needs, verdict, reason } = bug
  if (needs === undefined || !positionals.every((part) => `${needs} ${name}`.includes(part))) continue
  const startedAt = Date.now()
  const found = (await rowsOf(name, bug)).filter(isFinding)
  const isRight = (row) =>
    verdict.split('|').includes(row.verdict) &&
    RegExp(reason, 's').test([row.name, ...row.reasons].join('\n'))
  const first = found.find(isRight)
  counts[needs] ??= { found: 0, of: 0 }
  counts[needs].of += 1
  if (first) counts[needs].found += 1
  const took = `${Math.round((Date.now() - startedAt) / 1000)} s`
  const shown = first ?? found[0]
  const what = shown
    ? `${first ? '' : 'unexpected: '}${shown.name}: ${shown.verdict}: ${shown.reasons[0]}`
    : 'not found'
  console.log(`${needs.padEnd(5)}  ${name.padEnd(54)}  ${took.padStart(5)}  ${what}`)
}
for (const [needs, { found, of }] of Object.entries(counts)) console.log(`${needs}: ${found} of ${of}`)
