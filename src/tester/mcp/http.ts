/** `/_sim/mcp`: the protocol over streamable HTTP. A tool's request is guarded like any other tester's. */
import { createMcpHandler } from '@modelcontextprotocol/server'
import { invalidParameter } from '../../spec/contract/errors.ts'
import type { Guard } from '../control/guard.ts'
import { refusedBy } from '../control/http.ts'
import { mcpServer, packageFiles } from './server.ts'
import { isToolset, type ToolRequest, type Toolset } from './tools.ts'

type Fetch = (request: Request, bindings?: object) => Response | Promise<Response>

interface McpSideParts {
  guard: Guard
  testersSide: Fetch
}

export function mcpSide({ guard, testersSide }: McpSideParts): { fetch: Fetch } {
  const files = packageFiles()
  const { fetch } = createMcpHandler(({ requestInfo }) =>
    mcpServer({
      files,
      toolset: toolsetOf(requestInfo!.url) ?? 'default',
      send: async (request) => testersSide(requestOf(requestInfo!, request)),
    }),
  )
  return {
    fetch: (request, bindings) =>
      refusedBy(guard, request, bindings) ?? (toolsetOf(request.url) ? fetch(request) : unknownToolset()),
  }
}

/** `?tools=all`; undefined for an unknown word. */
function toolsetOf(url: string): Toolset | undefined {
  const word = new URL(url).searchParams.get('tools') ?? 'default'
  return isToolset(word) ? word : undefined
}

const unknownToolset = () =>
  Response.json(invalidParameter('tools', 'must be one of default, all').body, { status: 400 })

/** A tool's request to `/_sim`: to the same address and with the same token as the agent's request that called the tool. */
function requestOf(caller: Request, { method, path, body }: ToolRequest): Request {
  const { host } = new URL(caller.url)
  const authorization = caller.headers.get('authorization')
  return new Request(new URL(path, caller.url), {
    method,
    headers: { host, ...(authorization !== null && { authorization }) },
    ...(body !== undefined && { body }),
  })
}
