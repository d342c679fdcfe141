/** `paysim listen`: replaces a sandbox's webhook endpoint, prints each delivery, and forwards it. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Terminal } from '../../sandbox/scenario-file/lint.ts'
import { sendWebhook } from '../../service/webhooks/send.ts'
import { readUpTo } from '../../spec/body.ts'
import { ApiError } from '../../spec/contract/api-error.ts'
import { isObject, parsedJson } from '../../spec/contract/parsed-json.ts'
import { asSentence } from '../../spec/contract/suggest.ts'
import { passedOnHeaders } from '../../spec/node-http.ts'
import { sleep, TIMER_MAX_MS } from '../../spec/world/clock.ts'
import { uniqueName } from '../../spec/world/unique-name.ts'
import { listening } from '../listening.ts'
import type { Resolved } from '../options/commands.ts'
import type { Lifetime } from './lifetime.ts'
import { sandboxAt } from './sandbox-at.ts'
import { terminal } from './terminal.ts'

export async function listenToWebhooks(options: Resolved<'listen'>, life: Lifetime): Promise<void> {
  life.stopSignal()
  const { target, sandbox, forwardTo, events } = options
  const shop = await sandboxAt(options)
  // A secret path, because other machines on the network may be able to reach the port.
  const path = `/${uniqueName('webhooks-')}`
  // With `--host`, listen on all interfaces: requests from a container arrive on a bridge.
  const server = await listening(receiver(path, forwardTo), { everywhere: options.host !== undefined })
  life.endWith(server.close)
  const url = new URL(path, options.host === undefined ? server.url : `http://${options.host}/`)
  url.port = new URL(server.url).port

  const before = await shop.webhook.get()
  const name = path.slice(1)
  const listen = () => shop.webhook.listen(name, { url: url.href, events })
  const { secret } = await listen()
  // A paysim that has stopped has no listener to remove.
  life.endWith(() => shop.webhook.leave(name).catch(isNoAnswer))
  terminal.out(
    `Printing the events of the sandbox ${sandbox}${forwardTo ? ` and forwarding them to ${forwardTo}` : ''}.`,
  )
  terminal.out(
    `They are signed with ${secret}. Press Ctrl+C to stop${before ? ` and restore ${before.url}` : ''}.`,
  )
  await untilDismissed(listen, life.stopSignal(), { ...terminal, target })
}

/** How often the lease is renewed: a third of its length, so that two renewals may be lost. */
const AGAIN_MS = 5_000

/**
 * Renews the lease until the command is stopped, or a tester sets another endpoint. After a restart of paysim the next renewal
 * registers again. A lost and a restored connection are each printed once.
 */
export async function untilDismissed(
  listen: () => Promise<unknown>,
  stopped: AbortSignal,
  { target, out, err, againMs = AGAIN_MS }: Terminal & { target: string; againMs?: number },
): Promise<void> {
  for (let isGone = false; ; ) {
    await sleep(againMs, { signal: stopped }).catch(() => {})
    if (stopped.aborted) return
    const wasGone = isGone
    isGone = await listen().then(() => false, isNoAnswer)
    if (isGone && !wasGone) err(`Lost the connection to ${target}: no events arrive until paysim is back.`)
    if (wasGone && !isGone) out(`paysim is back at ${target}: receiving its events again.`)
  }
}

/** Rethrows a refusal, which means that paysim is running. */
function isNoAnswer(cause: Error): true {
  if (cause instanceof ApiError) throw new Error(asSentence(`No more events come here: ${cause.message}`))
  return true
}

/** The largest body accepted; a webhook of paysim has a few KB. */
const BODY_MAX_BYTES = 1024 ** 2

/** Responds as the local receiver did, or with 204 if there is none and 502 if it does not respond, so that the sandbox retries. */
function receiver(path: string, forwardTo: string | undefined) {
  const attempts = new Map<string, number>()
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.url !== path) return void response.writeHead(404).end()
    const chunks = request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>
    const body = await readUpTo(chunks, BODY_MAX_BYTES).catch(() => undefined)
    // The sender disconnected before the end of the body.
    if (body === undefined) return
    if (!request.complete) return void response.writeHead(413, { connection: 'close' }).end()
    const { type, id, about } = readEvent(body)
    const attempt = (attempts.get(id) ?? 0) + 1
    attempts.set(id, attempt)
    const answered = forwardTo === undefined ? RECEIVED : await forward(forwardTo, request, body, response)
    const status = answered.status ?? 502
    terminal.out(
      `${type}  ${id}  ${about}  ${status}  attempt ${attempt}${answered.error === null ? '' : `  ${answered.error}`}`,
    )
    response.writeHead(status).end(answered.response)
  }
}

const RECEIVED = { status: 204, response: null, error: null }

/** Forwards the bytes and headers unchanged. A status that is not final, such as 101, cannot be passed on. */
async function forward(url: string, { rawHeaders }: IncomingMessage, body: Buffer, response: ServerResponse) {
  const left = new AbortController()
  // The sandbox has stopped waiting.
  response.once('close', () => left.abort())
  const headers = Object.fromEntries(passedOnHeaders(rawHeaders, ['host', 'expect']))
  const sent = await sendWebhook(url, body, headers, TIMER_MAX_MS, left.signal)
  const isOdd = sent.status !== null && sent.status < 200
  return isOdd ? { ...sent, status: null, error: `it answered with the status ${sent.status}` } : sent
}

/**
 * The words to print about an event, with question marks for a body that is not an event: anyone can post to the address, and a
 * body may be tampered with.
 */
function readEvent(body: Buffer): { type: string; id: string; about: string } {
  const event = parsedJson(body.toString('utf8'))
  const { type, id, data } = isObject(event) ? event : {}
  return { type: word(type), id: word(id), about: word(isObject(data) ? data.id : undefined) }
}

const word = (value: unknown): string =>
  typeof value === 'string' && /^\P{Cc}{1,100}$/u.test(value) ? value : '?'
