/** `paysim sign`: prints the headers of a webhook with this body, to try a receiver by hand. */
import { readFileSync } from 'node:fs'
import { signWebhook } from '../../service/webhooks/sign.ts'
import { isObject, parsedJson } from '../../spec/contract/parsed-json.ts'
import { readTextFile } from '../../spec/text-file.ts'
import type { Resolved } from '../options/commands.ts'
import { terminal } from './terminal.ts'

/** `body` is the text itself, @FILE, or - for standard input. */
export async function sign({ body, ...how }: Resolved<'sign'>): Promise<void> {
  const text = readText(body)
  const { id = idIn(text) } = how
  for (const [name, value] of Object.entries(signWebhook(text, { ...how, id })))
    terminal.out(`${name}: ${value}`)
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
