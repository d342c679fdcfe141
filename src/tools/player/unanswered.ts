/** Why a simulator gave no answer in time: a gate holds the request, or a delay waits for a clock that stands still. */
import type { RequestExplained, RequestSummary } from '../../tester/control/shapes.ts'
import { verbRequest } from '../../tester/control/verb.ts'
import { SANDBOX_VERBS } from '../../tester/control/verbs.ts'
import type { Control } from './control.ts'
import { isClockFrozen } from './tester-steps.ts'
import type { Sent } from './wire.ts'

/** Undefined where no behavior makes it wait. */
export async function whyUnanswered(control: Control, { method, target }: Sent): Promise<string | undefined> {
  const waiting = (await control.list(
    verbRequest(SANDBOX_VERBS.requests, { status: 'none' }),
  )) as unknown as RequestSummary[]
  const asked = waiting.findLast((one) => one.method === method && one.target === target)
  if (!asked) return undefined
  const explained = await control.must(verbRequest(SANDBOX_VERBS.request, asked.id))
  const { behaviors } = explained as unknown as RequestExplained
  const isFrozen = await isClockFrozen(control)
  for (const { behavior, did } of behaviors.filter(({ fired }) => fired)) {
    const gate = /^is held at ([\w.-]+)/.exec(did)?.[1]
    if (gate !== undefined) return `${behavior} holds it: release it in meanwhile, sim: { release: ${gate} }`
    const delay = /^waits (\S+)/.exec(did)?.[1]
    if (delay !== undefined && isFrozen)
      return `${behavior} delays it by ${delay} on a clock that stands still: move it in meanwhile, sim: { advance: ${delay} }, or let it run, sandbox: { clock: { mode: real } }`
  }
  return undefined
}
