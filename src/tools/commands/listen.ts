/** `paysim listen`: stands in as the webhook endpoint of a sandbox, prints what comes, and hands it on. */
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerTo } from '../../spec/answer-to.ts'
import { ApiError } from '../../spec/contract/api-error.ts'
import { isObject, parsedJson } from '../../spec/contract/parsed-json.ts'
import { passedOnHeaders } from '../../spec/headers-of-connection.ts'
import { clientFor, createServer } from '../../spec/node-http.ts'
import type { Resolved } from '../../spec/options/commands.ts'
import { UsageError } from '../../spec/options/read.ts'
import { Clock } from '../../spec/world/clock.ts'
import { uniqueName } from '../../spec/world/random.ts'
import { connect } from '../../tester/control/client.ts'
import type { Lifetime } from './lifetime.ts'
import { terminal } from './terminal.ts'

export async function listenToWebhooks(options: Resolved<'listen'>, life: Lifetime): Promise<void> {
  life.stopSignal()
  const { target, sandbox, adminToken, forwardTo, events } = options
  const host = `http://${options.host ?? LOOPBACK}/`
  const shop = await connect(target, { adminToken })
    .find(sandbox)
    .catch(({ message }: Error) => {
      throw new UsageError(`The sandbox ${sandbox} at ${target} cannot be listened to: ${message}.`)
    })
  // Others on the network reach an open port too, and do not know the path.
  const path = `/${uniqueName('webhooks-')}`
  const server = createServer(receiver(path, forwardTo))
  life.endWith(() => {
    server.close()
    server.closeAllConnections()
  })
  // Without an address it is every one of this machine: a container comes in by that of a bridge.
  await once(server.listen({ port: 0, host: options.host === undefined ? LOOPBACK : undefined }), 'listening')
  const url = new URL(path, host)
  url.port = String((server.address() as AddressInfo).port)

  const before = await shop.webhook.get()
  const name = path.slice(1)
  const listen = () => shop.webhook.listen(name, { url: url.href, events })
  const { secret } = await listen()
  life.endWith(() => shop.webhook.leave(name))
  terminal.out(
    `The events of the sandbox ${sandbox} are printed here${forwardTo ? ` and sent on to ${forwardTo}` : ''}.`,
  )
  terminal.out(
    `They are signed with ${secret}. Ctrl+C ends it${before ? ` and ${before.url} gets them again` : ''}.`,
  )
  await untilDismissed(listen, life.stopSignal())
}

/** A third of the lease: two may be lost. */
const AGAIN_MS = 5_000

/** Says again that it listens until the command is stopped, or another has set an endpoint. */
async function untilDismissed(listen: () => Promise<unknown>, stopped: AbortSignal): Promise<void> {
  const clock = new Clock()
  while (!stopped.aborted) {
    await clock.waitKeepingProcess(AGAIN_MS, stopped).catch(() => {})
    if (stopped.aborted) return
    await listen().catch((cause: Error) => {
      // A paysim that is restarted hears of it next time.
      if (cause instanceof ApiError) throw new Error(`No more events come here: ${cause.message}.`)
    })
  }
}

const LOOPBACK = '127.0.0.1'

/** A webhook of paysim has a few KB. */
const BODY_MAX_BYTES = 1024 ** 2

/** Answers as the receiver that it hands on to, or 204 without one. */
function receiver(path: string, forwardTo: string | undefined) {
  const attempts = new Attempts()
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.url !== path) return void response.writeHead(404).end()
    const body = await beginning(request, BODY_MAX_BYTES).catch(() => undefined)
    // The sender has left in the middle of it.
    if (body === undefined) return
    if (!request.complete) return void response.writeHead(413, { connection: 'close' }).end()
    const { type, id, about } = readEvent(body)
    const attempt = attempts.next(id)
    const { status, answer, error } =
      forwardTo === undefined ? RECEIVED : await forward(forwardTo, request, body, response)
    terminal.out(
      `${type}  ${id}  ${about}  ${status}  attempt ${attempt}${error === undefined ? '' : `  ${error}`}`,
    )
    response.writeHead(status).end(answer)
  }
}

/** Of each event how many came; of the latest, as a listener may run for days. */
class Attempts {
  readonly #counts = new Map<string, number>()

  next(id: string): number {
    const attempt = (this.#counts.get(id) ?? 0) + 1
    this.#counts.delete(id)
    this.#counts.set(id, attempt)
    if (this.#counts.size > COUNTED_MAX) this.#counts.delete(this.#counts.keys().next().value!)
    return attempt
  }
}

const COUNTED_MAX = 10_000

/** All of it, or as much as that: then it is read no further. */
async function beginning(message: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of message.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes >= maxBytes) break
  }
  return Buffer.concat(chunks).subarray(0, maxBytes)
}

interface Forwarded {
  status: number
  answer?: Buffer
  error?: string
}

const RECEIVED: Forwarded = { status: 204 }

/** Of what is no event, each is a question mark: others may send to the address, and a tampered body may be anything. */
function readEvent(body: Buffer): { type: string; id: string; about: string } {
  const event = parsedJson(body.toString('utf8'))
  const { type, id, data } = isObject(event) ? event : {}
  return { type: word(type), id: word(id), about: word(isObject(data) ? data.id : undefined) }
}

/** In one line of the terminal, whatever stands there. */
const word = (value: unknown): string =>
  typeof value === 'string' && /^\P{Cc}{1,100}$/u.test(value) ? value : '?'

/** The most that is read of the local receiver's answer and sent back; a delivery records only its first KB. */
const ANSWER_MAX_BYTES = 64 * 1024

/** Sends the same bytes and headers. Without an answer it is 502, so that the sandbox tries again. */
async function forward(
  url: string,
  { rawHeaders }: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
): Promise<Forwarded> {
  const request = clientFor(new URL(url).protocol).request(url, {
    method: 'POST',
    agent: false,
    headers: Object.fromEntries(passedOnHeaders(rawHeaders, ['host', 'expect'])),
  })
  // The sandbox waits no longer.
  response.once('close', () => request.destroy())
  request.end(body)
  try {
    const answered = await answerTo(request)
    const status = answered.statusCode!
    if (status < 200 || status > 999) throw new Error(`it answered with the status ${status}`)
    const answer = await beginning(answered, ANSWER_MAX_BYTES)
    answered.destroy()
    return { status, answer }
  } catch (cause) {
    request.destroy()
    const { message, code } = cause as NodeJS.ErrnoException
    return { status: 502, error: message || code || 'no answer' }
  }
}
