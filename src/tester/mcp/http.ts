/** `/_sim/mcp`: the protocol over streamable HTTP. A tool's request is guarded like any other that a tester sends. */
import { createMcpHandler } from '@modelcontextprotocol/server'
import type { Guard } from '../control/guard.ts'
import { refusedBy } from '../control/http.ts'
import { mcpServer, packageFiles } from './server.ts'
import type { ToolRequest } from './tools.ts'

type Fetch = (request: Request, bindings?: object) => Response | Promise<Response>

export interface McpSideParts {
  guard: Guard
  testersSide: Fetch
}

export function mcpSide({ guard, testersSide }: McpSideParts): { fetch: Fetch } {
  const files = packageFiles()
  const { fetch } = createMcpHandler(({ requestInfo }) =>
    mcpServer({ files, send: async (request) => testersSide(requestOf(requestInfo!, request)) }),
  )
  return { fetch: (request, bindings) => refusedBy(guard, request, bindings) ?? fetch(request) }
}

/** With the address and the token of the request that called the tool. */
function requestOf(caller: Request, { method, path, body }: ToolRequest): Request {
  const { host } = new URL(caller.url)
  const authorization = caller.headers.get('authorization')
  return new Request(new URL(path, caller.url), {
    method,
    headers: { host, ...(authorization !== null && { authorization }) },
    ...(body !== undefined && { body }),
  })
}
