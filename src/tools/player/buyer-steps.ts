/** Finds the page of a checkout, and compares what the buyer sees with what a step expects. */

import type { HostedPageStep } from '../../sandbox/scenario-file/hosted-page-step.ts'
import { differences, type MatchDifference } from '../../sandbox/scenario-file/matcher.ts'
import { isObject } from '../../spec/contract/parsed-json.ts'
import { verbRequest } from '../../tester/control/verb.ts'
import { SANDBOX_VERBS } from '../../tester/control/verbs.ts'
import { Buyer, type SeenPage } from './buyer.ts'
import { checkAnswer } from './checks.ts'
import type { Control } from './control.ts'

export async function openBuyer(base: URL, control: Control, checkoutId: string): Promise<Buyer> {
  const found = await control.must(verbRequest(SANDBOX_VERBS.resource, checkoutId))
  const { checkoutUrl } = isObject(found.resource) ? found.resource : found
  if (typeof checkoutUrl !== 'string') throw new Error(`${checkoutId} is no checkout, so it has no page.`)
  return new Buyer(base, checkoutUrl)
}

/** Unless the step expects a status, the answer must be a page, or a redirect to another site. */
export function checkPage(
  { status, heading, says, fields, at }: NonNullable<HostedPageStep['expect']>,
  page: SeenPage,
): MatchDifference[] {
  const found: MatchDifference[] = []
  const compare = (path: string, expected: unknown, received: unknown) => {
    if (expected === undefined) return
    found.push(...differences(expected, received).map((one) => ({ ...one, path })))
  }
  if (status !== undefined || page.at === undefined) {
    found.push(...checkAnswer(status === undefined ? {} : { status }, page.exchange, new Map()))
  }
  compare('heading', heading, page.heading)
  for (const text of [says ?? []].flat()) compare('says', { contains: text }, page.text)
  compare(
    'fields',
    fields,
    page.forms.flatMap((form) => form.fields),
  )
  compare('at', at, page.at)
  return found
}
