/**
 * Output for GitHub Actions: annotations that show failures next to their lines in a pull request (`::error
 * file=…,line=…,title=…::message`), and the job summary, a Markdown file to which each step appends.
 */
import { relative, sep } from 'node:path'
import { tookText } from '../../spec/contract/duration.ts'
import { printable } from '../../spec/terminal-text.ts'
import { type Cause, type Check, type CheckReport, MARKS, verdictOf, worstFirst } from './check.ts'

/** Annotations for failures in a known file. `folder`: the root of the repository. */
export function annotations({ checks }: CheckReport, folder: string): string[] {
  return checks.flatMap(({ name: title, file, parts = [], ...check }) => {
    if (file === undefined || check.outcome !== 'failed') return []
    const path = relative(folder, file).split(sep).join('/')
    const failed = parts.filter(({ outcome }) => outcome === 'failed')
    const shown = failed.length > 0 ? failed : [{ ...check, name: '' }]
    return shown.map(({ name, why, text = why, line = 1 }) => {
      const message = [name, text].filter(Boolean).join('\n')
      return `::error file=${property(path)},line=${line},title=${property(title)}::${data(message)}`
    })
  })
}

const data = (text: string) =>
  text.split('\n').map(printable).join('\n').replaceAll('%', '%25').replaceAll('\n', '%0A')

const property = (text: string) => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')

/** GitHub limits a summary to 1 MiB. */
const ROWS_MAX = 200
const CELL_MAX_CHARS = 500

/** Turns a text into one line without Markdown or HTML. */
type Plain = (text: string) => string

/** The summary: failures first, the rest collapsed. `hide` masks secrets before a text is escaped. */
export function jobSummary(report: CheckReport, hide: (text: string) => string): string {
  const { command, title, about, causes = [] } = report
  const plain: Plain = (text) => escaped(hide(text))
  const sorted = worstFirst(report)
  const failed = sorted.filter(({ outcome }) => outcome === 'failed')
  const others = sorted.filter(({ outcome }) => outcome !== 'failed')
  const fix = causes.map((cause) => causeLine(cause, plain))
  return [
    `## paysim ${command}: ${plain(title)}\n`,
    `${plain(about)}\n`,
    ...(fix.length > 0 ? ['### What to fix\n', ...fix, ''] : []),
    ...(failed.length > 0 ? [...table(failed, plain), ''] : []),
    ...(others.length > 0
      ? [`<details><summary>${others.length} more</summary>\n`, ...table(others, plain), '\n</details>\n']
      : []),
    '',
  ].join('\n')
}

function causeLine({ what, where, todo, isMoney, example }: Cause, plain: Plain): string {
  const money = isMoney ? ' **(money wrong)**' : ''
  const parts = [`1. **${plain(what)}**${money}${where && `, ${plain(where)}`}`]
  if (todo !== '') parts.push(plain(todo))
  if (example) parts.push(`See ${plain(example.check)}: ${plain(example.text)}`)
  return parts.join('<br>')
}

function table(checks: readonly Check[], plain: Plain): string[] {
  const rows = checks.slice(0, ROWS_MAX).map((check) => {
    const { name, outcome, why, about = '', ms = 0 } = check
    const cells = [`${MARKS[outcome]} ${verdictOf(check)}`, name, why || about, ms === 0 ? '' : tookText(ms)]
    return `| ${cells.map(plain).join(' | ')} |`
  })
  const more = checks.length - rows.length
  return [
    '| Verdict | What | Why | Time |',
    '| --- | --- | --- | ---: |',
    ...rows,
    ...(more > 0 ? ['', `And ${more} more.`] : []),
  ]
}

function escaped(text: string): string {
  const cut = text.length > CELL_MAX_CHARS ? `${text.slice(0, CELL_MAX_CHARS)}…` : text
  return cut
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll(/[\\`*_[\]|~]/g, '\\$&')
    .replaceAll(/\s*\n\s*/g, ' ')
}
