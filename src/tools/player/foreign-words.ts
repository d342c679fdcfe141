/**
 * The words of the defaults in a response, where the service's profile has others. Reading the response to the words of the
 * defaults would hide them: an unknown word stays as it is.
 */
import { z } from 'zod'
import { headersUnder } from '../../spec/contract/answer-headers.ts'
import { statusName } from '../../spec/contract/api-error.ts'
import type { Contract } from '../../spec/contract/contract.ts'
import { isCreation, type OperationId } from '../../spec/contract/endpoints.ts'
import { member } from '../../spec/contract/json-text.ts'
import { isObject, parsedJson } from '../../spec/contract/parsed-json.ts'
import type { Profile } from '../../spec/contract/profile.ts'
import { readMessage } from '../../spec/contract/refusal-words.ts'
import { TEXTS } from '../../spec/contract/texts.ts'
import type { JsonObject } from '../../spec/contract/wire.ts'
import type { Worded, WordedField } from '../../spec/contract/worded.ts'
import type { Answered } from '../../spec/exchange.ts'
import type { ForeignWord } from './wire.ts'

/**
 * The response is read as the service sent it. `unknownKey` is the contract by which the service refuses an unknown key: a paysim
 * does it by its default sandbox.
 */
export function foreignWords(
  { contract: ofKey, unknownKey }: { contract: Contract; unknownKey: Contract },
  operation: OperationId | undefined,
  { status, headers, body }: Answered,
): ForeignWord[] {
  const contract = status === 401 ? unknownKey : ofKey
  const { profile, wording, createdStatus, refusals } = contract
  const found: ForeignWord[] = []
  const foreign = (path: string, expected: unknown, received: unknown) =>
    found.push({ path, expected: `${expected}, as the profile says`, received: String(received) })
  if (operation && isCreation(operation) && [200, 201].includes(status) && status !== createdStatus)
    foreign('status', createdStatus, status)
  for (const { name, named } of headersUnder(profile))
    if (named !== name && headers[name.toLowerCase()] !== undefined) foreign(`header ${name}`, named, name)
  const json = parsedJson(body)
  if (status < 400 && operation) inValue(wording.answer(operation), json, '$')
  if (status >= 400 && isObject(json)) {
    const { error, message } = json
    if (error === statusName(status) && error !== refusals.nameOf(status))
      foreign('$.error', refusals.nameOf(status), error)
    const name = typeof message === 'string' ? readMessage(message)?.name : undefined
    const isRead = name && refusals.read(json, status, {}).message !== message
    if (name && !isRead && profile.errors.texts[name] !== TEXTS[name])
      foreign('$.message', profile.errors.texts[name], message)
  }
  return found

  function inValue(worded: Worded, value: unknown, path: string): void {
    const { fields, items, options, key } = worded
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) if (items) inValue(items, item, `${path}[${index}]`)
    } else if (isObject(value)) {
      if (options) inEvent(options, value, path)
      else inObject(fields ?? new Map(), value, path)
    } else if (key === 'answers.currency') inList({ USD: profile.answers.currency }, value, path)
    else if (key?.startsWith('states.'))
      inList(profile.states[key.slice('states.'.length) as keyof Profile['states']], value, path)
  }

  function inObject(fields: ReadonlyMap<string, WordedField>, value: JsonObject, path: string): void {
    const names = new Set([...fields.values()].map(({ name }) => name))
    for (const [own, field] of fields) {
      const inner = path + member(own)
      if (own !== field.name && Object.hasOwn(value, own) && !names.has(own)) foreign(inner, field.name, own)
      inValue(field, value[field.name] ?? value[own], inner)
    }
  }

  /** An event is read by its type. */
  function inEvent(options: readonly Worded[], value: JsonObject, path: string): void {
    const typeOf = ({ fields }: Worded) => fields?.get('type')
    const sent = value[options.map(typeOf)[0]?.name ?? 'type'] ?? value.type
    const option = options.find((option) => {
      const schema = typeOf(option)?.schema
      return schema instanceof z.ZodLiteral && schema.value === sent
    })
    if (option?.fields) inObject(option.fields, value, path)
    else inList(profile.events, sent, `${path}.type`)
  }

  /** `words`: the profile's by the default ones. */
  function inList(words: Readonly<Record<string, string>>, value: unknown, path: string): void {
    if (typeof value !== 'string' || !Object.hasOwn(words, value)) return
    if (words[value] !== value && !Object.values(words).includes(value)) foreign(path, words[value], value)
  }
}
