/** Reports for other programs and for people: JUnit XML for CI, JSON for anything else, a page of HTML to look at. */
import { existsSync, readFileSync } from 'node:fs'
import { tookText } from '../../spec/contract/duration.ts'
import { type JunitCase, junitXml, xmlText } from '../../spec/junit.ts'
import { type Baseline, isRefused } from './baseline.ts'
import type { Calm } from './runner.ts'
import { verdictCounts } from './show.ts'
import { isExercised, type TroubleResult } from './verdict.ts'

export const REPORT_FORMATS = ['junit', 'json', 'html'] as const
export type ReportFormat = (typeof REPORT_FORMATS)[number]

export interface Outcome {
  command: readonly string[]
  calm: Pick<Calm, 'tookMs' | 'money' | 'hasReceiver'>
  results: readonly TroubleResult[]
  baseline: Baseline
  tookMs: number
}

/** The end of what a run printed, where test runners say what failed. */
const OUTPUT_LINES = 60

export const renderReport: Record<ReportFormat, (outcome: Outcome) => string> = { json, junit, html }

function json({ command, calm, results, baseline, tookMs }: Outcome): string {
  const troubles = results.map((result) => ({
    name: result.trouble.name,
    sentence: result.trouble.sentence,
    verdict: result.verdict,
    accepted: !isRefused(result, baseline),
    reasons: result.reasons,
    notes: result.notes,
    orders: result.orders,
    conduct: result.findings.map(({ rule, severity, what, requests, about, money }) => {
      return { rule, severity, what, requests, about, money }
    }),
    fired: result.fired,
    runs: result.runs,
    tookMs: Math.round(result.tookMs),
  }))
  const report = {
    command,
    tookMs: Math.round(tookMs),
    calm: { tookMs: Math.round(calm.tookMs), orders: calm.money, receivesWebhooks: calm.hasReceiver },
    troubles,
  }
  return `${JSON.stringify(report, null, 2)}\n`
}

function junit({ command, results, baseline, tookMs }: Outcome): string {
  const cases = results.map((result) => ({
    of: 'gauntlet',
    name: `${result.trouble.name}: ${result.trouble.sentence}`,
    ms: result.tookMs,
    ...judged(result, baseline),
  }))
  return junitXml([{ name: `gauntlet of ${command.join(' ')}`, ms: tookMs, cases }])
}

function judged(result: TroubleResult, baseline: Baseline): Pick<JunitCase, 'failure' | 'skipped'> {
  const { verdict, reasons } = result
  if (verdict !== 'not judged' && !isExercised(verdict)) return { skipped: verdict }
  if (!isRefused(result, baseline)) return {}
  const message = [verdict, ...reasons.slice(0, 1)].join(': ')
  return { failure: { type: verdict, message, text: [...reasons, '', outputOf(result)].join('\n') } }
}

/** One file without scripts, fonts or pictures from elsewhere, so that it can be attached to anything. */
function html({ command, calm, results, baseline, tookMs }: Outcome): string {
  const rows = results.map((result) => {
    const { trouble, verdict, reasons, fired } = result
    const tone = verdict === 'survived' ? 'good' : isRefused(result, baseline) ? 'bad' : 'plain'
    const output = reasons.length > 0 ? outputOf(result) : ''
    const details =
      reasons.map((reason) => `<p>${xmlText(reason)}</p>`).join('') +
      (output && `<details><summary>Output</summary><pre>${xmlText(output)}</pre></details>`)
    return `<tr class="${tone}"><td>${verdict}</td><td>${trouble.name}</td><td>${xmlText(trouble.sentence)}${details}</td><td>${fired}</td><td>${tookText(result.tookMs)}</td></tr>`
  })
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Gauntlet</title>
<style>
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif }
body { margin: 2rem auto; max-width: 70rem; padding: 0 1rem }
table { border-collapse: collapse; width: 100% }
th, td { padding: .4rem .8rem .4rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid #8884 }
td:first-child { font-weight: 600 }
td:nth-child(-n+2) { white-space: nowrap }
td:nth-child(n+4) { text-align: right; white-space: nowrap }
.good td:first-child { color: light-dark(#176b34, #7fd79b) }
.bad td:first-child { color: light-dark(#a3211b, #ff9d94) }
pre { overflow: auto; font-size: 13px }
</style>
</head>
<body>
<h1>Gauntlet</h1>
<p><code>${xmlText(command.join(' '))}</code>: ${tookText(calm.tookMs)} in calm, ${tookText(tookMs)} in all: ${verdictCounts(results)}.</p>
<table>
<thead><tr><th scope="col">Verdict</th><th scope="col">Trouble</th><th scope="col">What happens</th><th scope="col">Times</th><th scope="col">Took</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>
</body>
</html>
`
}

function outputOf({ outputFile }: TroubleResult): string {
  if (outputFile === undefined || !existsSync(outputFile)) return ''
  return readFileSync(outputFile, 'utf8').trimEnd().split('\n').slice(-OUTPUT_LINES).join('\n')
}
