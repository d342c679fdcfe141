/** Filters a timeline: by its requests, by the result of an answer or an attempt, and by time. */
import { isTaken, type TimelineMoment } from './timeline-model.ts'

export interface TimelineFilter {
  method?: string | undefined
  /** `409`, `4xx`, or `none`. */
  status?: string | undefined
  only?: string | undefined
  behavior?: string | undefined
  /** On the sandbox's clock. */
  since?: number | undefined
}

/**
 * The moments that fit. Changes by time, a buyer or a tester have no answer: they are filtered by time alone,
 * as they explain what follows.
 */
export function pickMoments(
  moments: readonly TimelineMoment[],
  { method, status, only, behavior, since }: TimelineFilter,
): TimelineMoment[] {
  return moments.filter((moment) => {
    if (since !== undefined && moment.at < since) return false
    if (moment.kind === 'change') return true
    if (status !== undefined && !hasStatus(moment.status, status)) return false
    if (moment.kind === 'attempt')
      return only === undefined || (only === 'broken' ? moment.status === null : !isTaken(moment.status))
    const { arrives, behaviors } = moment
    return (
      (method === undefined || moment.asked.method === method.toUpperCase()) &&
      (only === undefined || arrives !== 'whole' || (only === 'failing' && (moment.status ?? 0) >= 400)) &&
      (behavior === undefined ||
        behaviors.includes(behavior) ||
        moment.effects.some(({ changedBy }) => changedBy?.split(', ').includes(behavior)))
    )
  })
}

const hasStatus = (status: number | null, asked: string): boolean =>
  asked === 'none' ? status === null : status !== null && String(status).startsWith(asked.replace('xx', ''))
