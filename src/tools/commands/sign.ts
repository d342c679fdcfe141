/** `paysim sign`: prints the headers of a webhook with this body, to try a receiver by hand; or sends the webhook. */
import { readFileSync } from 'node:fs'
import { signWebhook } from '../../service/webhooks/sign.ts'
import { tookText } from '../../spec/contract/duration.ts'
import { isObject, parsedJson } from '../../spec/contract/parsed-json.ts'
import { readTextFile } from '../../spec/text-file.ts'
import type { Resolved } from '../options/commands.ts'
import { printText, terminal } from './terminal.ts'

/** `body` is the text itself, @FILE, or - for standard input. */
export async function sign({ body, to, ...how }: Resolved<'sign'>): Promise<void> {
  const text = readText(body)
  if (to === undefined) {
    for (const [name, value] of Object.entries(signed(text, how))) terminal.out(`${name}: ${value}`)
    return
  }
  const { isTaken, said } = await sendSigned(text, to, how)
  printText(said.trimEnd())
  if (!isTaken) process.exitCode = 1
}

/** How long a real delivery waits for a response. */
const PATIENCE_MS = 10_000

interface Signing {
  secret: string
  /** Default: the event's id. */
  id?: string | undefined
  at?: number | undefined
}

const signed = (text: string, { id = idIn(text), ...how }: Signing) => signWebhook(text, { ...how, id })

interface SentByHand {
  isTaken: boolean
  said: string
}

/** Sends a signed webhook once, and returns the receiver's response as text. */
export async function sendSigned(text: string, to: string, how: Signing): Promise<SentByHand> {
  // Imported only here, because sending loads SQLite too.
  const { sendWebhook } = await import('../../service/webhooks/send.ts')
  const { status, response, error, durationMs } = await sendWebhook(
    to,
    text,
    { ...signed(text, how) },
    PATIENCE_MS,
    new AbortController().signal,
  )
  const answered = status === null ? `no answer: ${error}` : `${status}, after ${tookText(durationMs)}`
  return {
    isTaken: status !== null && status >= 200 && status < 300,
    said: `${to} → ${answered}\n${response ? `${response.trimEnd()}\n` : ''}`,
  }
}

/** A webhook has the id of its event, by which a receiver detects duplicates. */
function idIn(text: string): string {
  const event = parsedJson(text)
  return isObject(event) && typeof event.id === 'string' && EVENT_ID.test(event.id) ? event.id : 'evt_example'
}

/** The characters allowed in the header. */
const EVENT_ID = /^[\w-]{1,255}$/

function readText(body: string): string {
  if (body === '-') return readFileSync(0, 'utf8')
  return body.startsWith('@') ? readTextFile(body.slice(1)) : body
}
