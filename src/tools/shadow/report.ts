/** What `paysim shadow` has seen, for the reports: a check for each request, and what differs once. */
import { counted } from '../../spec/contract/counted.ts'
import { formatInstant } from '../../spec/contract/time.ts'
import type { Check, CheckReport } from '../checks/check.ts'
import { keysInJson } from '../learn/learn.ts'
import { alsoAt, keyText, timesText } from '../player/difference-groups.ts'
import type { ShadowList } from './shadow-list.ts'

/** A page with more of them takes a browser seconds to open; JSON has all. */
export const SHOWN = 1_000

export function shadowReport(list: ShadowList): CheckReport {
  const { target, count, exchanges } = list
  const shown = exchanges.slice(-SHOWN)
  const [first] = shown
  return {
    command: 'shadow',
    name: `shadow of ${target}`,
    title: differingText(list),
    about: `The service is ${target}.${count > SHOWN ? ` The latest ${SHOWN.toLocaleString('en-US')} are shown.` : ''}`,
    startedAt: first && formatInstant(first.at),
    checks: shown.map(({ number, method, target: asked, differences }): Check => {
      const [first, ...more] = differences
      return {
        name: `${number} ${method} ${asked}`,
        outcome: first ? 'failed' : 'passed',
        verdict: first ? 'differs' : 'the same',
        why: first ? `${first.sentence}${more.length > 0 ? `, and ${more.length} more` : ''}` : '',
      }
    }),
    causes: list.groups().map((group) => ({
      what: group.sentence + alsoAt(group),
      where: timesText(group),
      todo: group.mendedBy ? `In a profile: ${keyText(group.mendedBy)}` : '',
    })),
    json: () => inJson(list),
  }
}

export const differingText = ({ count, differing }: ShadowList): string =>
  `${differing} of ${counted(count, 'request')} ${differing === 1 ? 'differs' : 'differ'}`

function inJson(list: ShadowList) {
  const { target, count, differing } = list
  const requests = list.exchanges.map((exchange) => {
    const { number, at, method, target, theirs, ours, ids, notes } = exchange
    return {
      number,
      at: formatInstant(at),
      call: `${method} ${target}`,
      theirs: theirs.status,
      ours: ours.status,
      ids,
      differences: list.differencesOf(exchange),
      notes,
    }
  })
  const keys = keysInJson(list.learned())
  return { target, count, differing, keys, groups: list.groups(), requests }
}
