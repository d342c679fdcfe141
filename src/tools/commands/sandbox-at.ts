/** The sandbox of a running paysim that a command uses. */
import { ApiError } from '../../spec/contract/api-error.ts'
import { asSentence } from '../../spec/contract/suggest.ts'
import { UsageError } from '../../spec/options/read.ts'
import { typedCommand } from '../../spec/typed.ts'
import { connect, type RemoteSandbox } from '../../tester/control/client.ts'
import type { Resolved } from '../options/commands.ts'

type Place = Pick<Resolved<'explain'>, 'target' | 'sandbox' | 'adminToken'>

export async function sandboxAt({ target, sandbox, adminToken }: Place): Promise<RemoteSandbox> {
  try {
    return await connect(target, { adminToken }).find(sandbox)
  } catch (cause) {
    const message = asSentence((cause as Error).message)
    throw new UsageError(
      cause instanceof ApiError
        ? `Cannot use the sandbox ${sandbox} at ${target}: ${message}`
        : `${message} Start one with \`${typedCommand()} start\`, or pass --target.`,
    )
  }
}
