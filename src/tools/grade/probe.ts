/**
 * Asks the receiver how many events it has handled, and for the state of a refund. Without an answer, nothing is graded: the exit
 * code differs from that of a bad grade.
 */
import { text } from 'node:stream/consumers'
import { z } from 'zod'
import { parsedJson } from '../../spec/contract/parsed-json.ts'
import { answerTo, clientFor } from '../../spec/node-http.ts'
import { UsageError } from '../../spec/options/read.ts'

const TIMEOUT_MS = 10_000

/** The response is a number, or an object with one. */
export async function readProbe(url: URL): Promise<number> {
  const { status, body } = await ask(url)
  const count = status === 200 ? numberIn(body) : undefined
  if (count === undefined)
    throw new UsageError(
      `The probe ${url} must respond 200 with a number, or with an object that contains one.`,
    )
  return count
}

/** Replaces `{id}` in the URL by the refund's id. The response is the state, or an object with `status` or `state`. */
export async function readStateProbe(template: string, refundId: string): Promise<string | undefined> {
  const url = new URL(template.replaceAll('{id}', encodeURIComponent(refundId)))
  const { status, body } = await ask(url)
  if (status === 404) return undefined
  const state = status === 200 ? stateIn(body) : undefined
  if (state === undefined)
    throw new UsageError(`The probe ${url} must respond 200 with a state or an object with status, or 404.`)
  return state
}

async function ask(url: URL): Promise<{ status: number | undefined; body: string }> {
  const request = clientFor(url.protocol).get(url, {
    agent: false,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  const response = await answerTo(request).catch((cause: Error) => {
    throw new UsageError(`The probe ${url} did not respond: ${cause.message}.`)
  })
  return { status: response.statusCode, body: await text(response) }
}

const StateTold = z.union([
  z.string(),
  z.object({ status: z.string() }).transform(({ status }) => status),
  z.object({ state: z.string() }).transform(({ state }) => state),
])

function stateIn(body: string): string | undefined {
  const parsed = StateTold.safeParse(parsedJson(body) ?? body)
  return parsed.success ? parsed.data.trim().toLowerCase() : undefined
}

function numberIn(body: string): number | undefined {
  const json = parsedJson(body)
  const values = typeof json === 'object' && json !== null ? Object.values(json) : [json]
  return values.find((value) => typeof value === 'number')
}
