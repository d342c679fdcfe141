/** `paysim listen`: stands in as the webhook endpoint of a sandbox, prints what comes, and hands it on. */
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { EventPattern } from '../../spec/contract/event.ts'
import { isObject, parsedJson } from '../../spec/contract/parsed-json.ts'
import { createServer, request as requestHttp } from '../../spec/node-http.ts'
import { readValue, UsageError } from '../../spec/options/read.ts'
import { DEFAULT_SANDBOX } from '../../spec/options/sandbox.ts'
import { EventPatterns, HttpUrl, listFromText } from '../../spec/options/values.ts'
import { uniqueName } from '../../spec/world/random.ts'
import { connect } from '../../tester/control/client.ts'
import type { Lifetime } from './lifetime.ts'
import { terminal } from './terminal.ts'

export interface ListenCommandOptions {
  target: string
  sandbox?: string | undefined
  adminToken?: string | undefined
  /** The receiver of the platform. */
  forwardTo?: string | undefined
  /** By which the paysim reaches this machine, where it is not this machine itself. */
  host?: string | undefined
  /** Such as `refund.*,checkout.confirmed`. */
  events?: string | undefined
}

export async function listenToWebhooks(options: ListenCommandOptions, life: Lifetime): Promise<void> {
  life.stopSignal()
  const { sandbox = DEFAULT_SANDBOX, adminToken } = options
  const target = readValue(HttpUrl, options.target, '--target')
  const forwardTo =
    options.forwardTo === undefined ? undefined : readValue(HttpUrl, options.forwardTo, '--forward-to')
  const host = readValue(HttpUrl, `http://${options.host ?? LOOPBACK}/`, '--host')
  const events = readValue(EventPatterns, listFromText(options.events ?? '*'), '--events')
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
  const { secret } = await shop.webhook.put({ url: url.href, events })
  life.endWith(async () => {
    // What another has set meanwhile stays.
    if ((await shop.webhook.get())?.url !== url.href) return
    if (before === null) return shop.webhook.remove()
    await shop.webhook.put({ url: before.url, events: before.events as EventPattern[] })
  })
  terminal.out(
    `The events of the sandbox ${sandbox} are printed here${forwardTo ? ` and sent on to ${forwardTo}` : ''}.`,
  )
  terminal.out(
    `They are signed with ${secret}. Ctrl+C ends it${before ? ` and ${before.url} gets them again` : ''}.`,
  )
  await life.untilStopped()
}

const LOOPBACK = '127.0.0.1'

/** Answers as the receiver that it hands on to, or 204 without one. */
function receiver(path: string, forwardTo: string | undefined) {
  const attempts = new Map<string, number>()
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.url !== path) return void response.writeHead(404).end()
    const body = await buffer(request).catch(() => undefined)
    // The sender has left in the middle of it.
    if (body === undefined) return
    const { type, id, about } = readEvent(body)
    const attempt = (attempts.get(id) ?? 0) + 1
    attempts.set(id, attempt)
    const { status, answer, error } =
      forwardTo === undefined ? RECEIVED : await forward(forwardTo, request, body, response)
    terminal.out(
      `${type}  ${id}  ${about}  ${status}  attempt ${attempt}${error === undefined ? '' : `  ${error}`}`,
    )
    response.writeHead(status).end(answer)
  }
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
  const { type = '?', id = '?', data } = isObject(event) ? event : {}
  const { id: about = '?' } = isObject(data) ? data : {}
  return { type: String(type), id: String(id), about: String(about) }
}

/** These are of one connection; all others are the sandbox's own. */
const OF_CONNECTION = ['connection', 'host', 'keep-alive', 'transfer-encoding']

/** Sends the same bytes and headers. Without an answer it is 502, so that the sandbox tries again. */
async function forward(
  url: string,
  { headers }: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
): Promise<Forwarded> {
  const own = Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_CONNECTION.includes(name)))
  const request = (url.startsWith('https:') ? requestHttps : requestHttp)(url, {
    method: 'POST',
    agent: false,
    headers: own,
  })
  // The sandbox waits no longer.
  response.once('close', () => request.destroy())
  request.on('error', () => {})
  request.end(body)
  try {
    const [answered] = (await once(request, 'response')) as [IncomingMessage]
    return { status: answered.statusCode!, answer: await buffer(answered) }
  } catch (cause) {
    const { message, code } = cause as NodeJS.ErrnoException
    return { status: 502, error: message || code || 'no answer' }
  }
}
