/** The player's webhook endpoint: stores every delivery and responds as the scenario specifies. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { ReceiverAnswer } from '../../sandbox/scenario-file/receiver.ts'
import { DEFAULT_CONTRACT } from '../../spec/contract/contract.ts'
import { isObject, parsedJson } from '../../spec/contract/parsed-json.ts'
import { translationOf } from '../../spec/contract/translation.ts'
import { callAfter, wallClock } from '../../spec/world/clock.ts'
import { listening } from '../listening.ts'
import { checkSignature, type Signature } from './signature.ts'

export interface ReceivedWebhook {
  /** The same for every delivery of an event. */
  id: string
  type: string
  /** The whole event, as received and as parsed. */
  body: Buffer
  event: unknown
  signature: Signature
  /** As received, before translation to the default names. */
  sent: { headers: Readonly<Record<string, string>>; body: Buffer }
}

export interface Receiver {
  readonly url: string
  readonly deliveries: readonly ReceivedWebhook[]
  /** Resolves as soon as `wanted` returns true, or when the time has passed. */
  until(wanted: (deliveries: readonly ReceivedWebhook[]) => boolean, withinMs: number): Promise<void>
  /** Sets the responses to the attempts of each event; the last response repeats. */
  answer(script: readonly ReceiverAnswer[]): void
  /** Sets the secret for checking signatures. A sandbox gets its secret only when it has a webhook. */
  checkWith(secret: string): void
  close(): Promise<void>
}

const RECEIVED: ReceiverAnswer = { status: 204 }
const REDIRECTED = 307

/** A profile may define no header for the id, but the event's body always has it. */
const idOf = (header: string | string[] | undefined, event: unknown): string =>
  String(header ?? (isObject(event) ? event.id : undefined) ?? '')

/** Each header of a request or a response as one string. */
export const singleHeaders = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))

export async function openReceiver(contract = DEFAULT_CONTRACT): Promise<Receiver> {
  const { signature } = contract.profile.webhooks
  const words = translationOf(contract)
  const deliveries: ReceivedWebhook[] = []
  const onDelivery = new Set<() => void>()
  let script: readonly ReceiverAnswer[] = []
  let secret = ''
  /** How many attempts of each event the script has responded to. */
  const answered = new Map<string, number>()

  function nextResponse(eventId: string): ReceiverAnswer {
    const attempt = answered.get(eventId) ?? 0
    answered.set(eventId, attempt + 1)
    return script[Math.min(attempt, script.length - 1)] ?? RECEIVED
  }

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const sent = await buffer(request).catch(() => undefined)
    // The sender disconnected, or the file ended, before the whole body arrived.
    if (sent === undefined) return
    const body = words ? Buffer.from(words.eventText(sent.toString('utf8'))) : sent
    const event = parsedJson(body.toString())
    const id = idOf(request.headers[signature.idHeader?.toLowerCase() ?? ''], event)
    deliveries.push({
      id,
      type: isObject(event) && typeof event.type === 'string' ? event.type : 'a delivery without a type',
      body,
      event,
      signature: checkSignature(request.headers, sent, signature, { secret, now: wallClock() }),
      sent: { headers: singleHeaders(request.headers), body: sent },
    })
    respondWith(nextResponse(id), response)
    for (const notify of onDelivery) notify()
  }
  const { url, close } = await listening(receive)

  return {
    url: `${url}/`,
    deliveries,
    until: (wanted, withinMs) =>
      new Promise((resolve) => {
        const check = () => {
          if (wanted(deliveries)) done()
        }
        const done = () => {
          cancelTimeout()
          onDelivery.delete(check)
          resolve()
        }
        const cancelTimeout = callAfter(withinMs, done)
        onDelivery.add(check)
        check()
      }),
    answer(next) {
      script = next
      answered.clear()
    },
    checkWith(drawn) {
      secret = drawn
    },
    close,
  }
}

function respondWith({ after = 0, ...answer }: ReceiverAnswer, response: ServerResponse): void {
  if (after > 0) {
    const cancel = callAfter(after, () => respondWith(answer, response))
    response.on('close', cancel)
    return
  }
  const { close, redirect, status = redirect === undefined ? 204 : REDIRECTED, headers } = answer
  if (close) response.destroy()
  else response.writeHead(status, { ...headers, ...(redirect !== undefined && { location: redirect }) }).end()
}
