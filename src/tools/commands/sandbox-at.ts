/** The sandbox of a running paysim that a command is about. */
import { asSentence } from '../../spec/contract/suggest.ts'
import { UsageError } from '../../spec/options/read.ts'
import { connect, type RemoteSandbox } from '../../tester/control/client.ts'

interface Place {
  target: string
  sandbox: string
  adminToken?: string | undefined
}

/** What `ask` is answered. `cannotBe`: what is told where the sandbox is not there or does not answer, such as `judged`. */
export const ofSandbox = <Answer>(
  { target, sandbox, adminToken }: Place,
  cannotBe: string,
  ask: (shop: RemoteSandbox) => Answer | Promise<Answer>,
): Promise<Answer> =>
  connect(target, { adminToken })
    .find(sandbox)
    .then(ask)
    .catch(({ message }: Error) => {
      throw new UsageError(
        `The sandbox ${sandbox} at ${target} cannot be ${cannotBe}: ${asSentence(message)}`,
      )
    })

export const sandboxAt = (place: Place, cannotBe: string): Promise<RemoteSandbox> =>
  ofSandbox(place, cannotBe, (shop) => shop)
