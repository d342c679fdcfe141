/** `paysim mcp`: the Model Context Protocol over standard input and output, where nothing else may be written. */
import { once } from 'node:events'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { mcpServer, packageFiles } from '../mcp/server.ts'

export interface McpOptions {
  target: string
  adminToken?: string
}

export async function mcp({ target, adminToken }: McpOptions): Promise<void> {
  const headers: Record<string, string> =
    adminToken === undefined ? {} : { authorization: `Bearer ${adminToken}` }
  const ended = once(process.stdin, 'close')
  const files = packageFiles()
  const { close } = serveStdio(() =>
    mcpServer({
      files,
      send: ({ method, path, body }) =>
        fetch(new URL(path, target), { method, headers, ...(body !== undefined && { body }) }).catch(
          (cause) => {
            throw new Error(`No paysim answers at ${target}; npx paysim start starts one`, { cause })
          },
        ),
    }),
  )
  await ended
  await close()
}
