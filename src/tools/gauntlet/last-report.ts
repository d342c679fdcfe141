/** Reads the JSON report of the last run, for the page of the dashboard. */

import { readFile, stat } from 'node:fs/promises'
import { z } from 'zod'
import type { GauntletRun } from '../../pages/dashboard/last-gauntlet.ts'
import { counted } from '../../spec/contract/counted.ts'
import { tookText } from '../../spec/contract/duration.ts'
import { formatInstant } from '../../spec/contract/time.ts'
import { titleOf, worstFirst } from '../checks/check.ts'
import { WORST_FIRST } from './report.ts'
import { verdictCounts } from './show.ts'
import { NO_VERDICTS, VERDICTS } from './verdict.ts'

const Report = z.object({
  command: z.array(z.string()),
  tookMs: z.number(),
  causes: z.array(
    z.object({
      rule: z.string().nullable(),
      what: z.string(),
      todo: z.string().nullable(),
      isMoney: z.boolean(),
      troubles: z.array(z.string()),
    }),
  ),
  troubles: z.array(
    z.object({
      name: z.string(),
      sentence: z.string(),
      verdict: z.enum([...VERDICTS, ...NO_VERDICTS]),
      accepted: z.boolean(),
      reasons: z.array(z.string()),
      tookMs: z.number(),
    }),
  ),
})

/** The run, or in a sentence why there is none. */
export async function lastRun(file: string): Promise<GauntletRun | string> {
  const write = `paysim gauntlet --report json=${file} -- npm test writes it, and this page shows it when it is opened.`
  try {
    const { mtime } = await stat(file)
    const { command, tookMs, causes, troubles } = Report.parse(JSON.parse(await readFile(file, 'utf8')))
    const checks = troubles.map(({ accepted, reasons, ...one }) => ({
      ...one,
      outcome: accepted ? ('passed' as const) : ('failed' as const),
      isBad: !accepted,
      why: reasons[0] ?? '',
      ms: one.tookMs,
    }))
    const found = { checks, verdicts: WORST_FIRST }
    return {
      title: titleOf(found, 'No trouble was tried'),
      about: `${command.join(' ')}: ${tookText(tookMs)} in all: ${verdictCounts(troubles)}.`,
      endedAt: formatInstant(mtime.getTime()),
      causes: causes.map(({ rule, what, todo, isMoney, troubles: { length } }) => ({
        what: rule === null ? what : `${rule}: ${what}`,
        where: `in ${counted(length, 'run')}`,
        todo: todo ?? '',
        isMoney,
      })),
      troubles: worstFirst(found) as typeof checks,
    }
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return write
    const why = cause instanceof z.ZodError ? 'It is no report of the gauntlet' : (cause as Error).message
    return `${file} cannot be read: ${why}. ${write}`
  }
}
