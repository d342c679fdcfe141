/**
 * Finds default names in a response where the profile specifies others. They must be found before translation, which leaves
 * unknown names unchanged and would hide them.
 */
import { headersUnder } from '../../spec/contract/answer-headers.ts'
import { statusName } from '../../spec/contract/api-error.ts'
import type { Contract } from '../../spec/contract/contract.ts'
import { ENDPOINTS, isCreation, type OperationId } from '../../spec/contract/endpoints.ts'
import { isObject, parsedJson } from '../../spec/contract/parsed-json.ts'
import { readMessage } from '../../spec/contract/refusal-text.ts'
import { TEXTS } from '../../spec/contract/texts.ts'
import type { Answered } from '../../spec/exchange.ts'
import type { ForeignWord } from './wire.ts'

/**
 * Takes the response as the service sent it. `unknownKey` is the contract that applies to a request with an unknown key: paysim
 * uses that of its default sandbox.
 */
export function foreignWords(
  { contract: ofKey, unknownKey }: { contract: Contract; unknownKey: Contract },
  operation: OperationId | undefined,
  { status, headers, body }: Answered,
): ForeignWord[] {
  const contract = status === 401 ? unknownKey : ofKey
  const { profile, codec, createdStatus } = contract
  const found: ForeignWord[] = []
  const foreign = (path: string, expected: unknown, received: unknown) =>
    found.push({ path, expected: `${expected}, as the profile says`, received: String(received) })
  if (operation && isCreation(operation) && [200, 201].includes(status) && status !== createdStatus)
    foreign('status', createdStatus, status)
  for (const { name, named } of headersUnder(profile))
    if (named !== name && headers[name.toLowerCase()] !== undefined) foreign(`header ${name}`, named, name)
  const json = parsedJson(body)
  if (codec && operation && status < 400) {
    const { does, what } = ENDPOINTS[operation]
    codec[does === 'list' ? 'readPage' : 'read'](what, json, foreign)
  }
  if (codec && status >= 400 && isObject(json)) {
    const { error, message } = json
    if (error === statusName(status) && error !== codec.errorName(status))
      foreign('$.error', codec.errorName(status), error)
    const name = typeof message === 'string' ? readMessage(message)?.name : undefined
    const isRead = name && codec.readRefusal(json, status).message !== message
    if (name && !isRead && profile.errors.texts[name] !== TEXTS[name])
      foreign('$.message', profile.errors.texts[name], message)
  }
  return found
}
