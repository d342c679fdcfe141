/** `paysim mcp`: the Model Context Protocol over standard input and output. Nothing else may be written to stdout. */
import { finished } from 'node:stream/promises'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { whyNotFetched } from '../../spec/tls-problem.ts'
import { typedCommand } from '../../spec/typed.ts'
import { mcpServer, packageFiles } from '../../tester/mcp/server.ts'
import type { Resolved } from '../options/commands.ts'

const TOO_LONG = 'A message is larger than 10 MB.'

export async function mcp({ target, adminToken, tools: toolset }: Resolved<'mcp'>): Promise<void> {
  const headers: Record<string, string> =
    adminToken === undefined ? {} : { authorization: `Bearer ${adminToken}` }
  const files = packageFiles()
  const unreadable = new Promise<never>((_, reject) => {
    serveStdio(
      () =>
        mcpServer({
          files,
          toolset,
          send: ({ method, path, body }) =>
            fetch(new URL(path, target), { method, headers, ...(body !== undefined && { body }) }).catch(
              (cause: Error) => {
                const why = whyNotFetched(new URL(target), cause) || `; ${typedCommand()} start starts one`
                throw new Error(`No paysim is running at ${target}${why}`, { cause })
              },
            ),
        }),
      // Called for each malformed line too, after which reading continues; only an oversized message ends it.
      { onerror: ({ message }) => /maximum size/.test(message) && reject(new Error(TOO_LONG)) },
    )
  })
  // Waits for the end of the input, not for its close: files and /dev/null are not closed at their end.
  await Promise.race([finished(process.stdin, { writable: false }), unreadable])
}
