/** How many events a receiver has handled, as it says itself: a number, or an object with one. */
import { text } from 'node:stream/consumers'
import { answerTo } from '../../spec/answer-to.ts'
import { clientFor } from '../../spec/node-http.ts'

const TIMEOUT_MS = 10_000

export async function readProbe(url: URL): Promise<number> {
  const request = clientFor(url.protocol).get(url, {
    agent: false,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  const response = await answerTo(request).catch((cause: Error) => {
    throw new Error(`The probe ${url} did not answer: ${cause.message}.`)
  })
  const count = response.statusCode === 200 ? numberIn(await text(response)) : undefined
  if (count === undefined)
    throw new Error(`The probe ${url} must answer 200 with a number, or with an object that has one.`)
  return count
}

function numberIn(body: string): number | undefined {
  try {
    const told: unknown = JSON.parse(body)
    const values = typeof told === 'object' && told !== null ? Object.values(told) : [told]
    return values.find((value): value is number => typeof value === 'number')
  } catch {
    return undefined
  }
}
