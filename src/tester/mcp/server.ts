/**
 * The Model Context Protocol, by which a coding agent controls a simulator: the tester's verbs as tools; documents and scenarios as
 * resources. A tool sends the equivalent request to `/_sim`, so arguments are checked in one place.
 */
import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import {
  fromJsonSchema,
  type JsonSchemaType,
  type JsonSchemaValidator,
  McpServer,
} from '@modelcontextprotocol/server'
import { PACKAGE_ROOT, VERSION } from '../../spec/package.ts'
import { type Arguments, TOOLSETS, type Tool, type ToolRequest, type Toolset } from './tools.ts'

type PackageFile = ReturnType<typeof filesIn>[number]

interface McpParts {
  /** Sends a request to the simulator. */
  send(request: ToolRequest): Promise<Response>
  files: readonly PackageFile[]
  toolset: Toolset
}

export function mcpServer({ send, files, toolset }: McpParts): McpServer {
  const server = new McpServer(
    { name: 'paysim', title: 'paysim', version: VERSION },
    {
      instructions: [
        'paysim simulates a payments service on this machine: the whole /v1 contract; no money moves and no message is sent.',
        'The app under test calls /v1 with the apiKey of a sandbox; `sandboxes_get` says which, and where.',
        'Arm faults with `arm` (the resource paysim://docs/scenarios shows how), run the app, then read',
        '`requests_list`, `explain`, `ledger` and `audit` to see what it did and what would have cost money.',
        ...(toolset === 'all' ? [] : [MORE_TOOLS]),
      ].join('\n'),
    },
  )
  for (const tool of TOOLSETS[toolset]) addTool(server, tool, send)
  for (const file of files) addFile(server, file)
  return server
}

const MORE_TOOLS = `There are ${TOOLSETS.all.length - TOOLSETS.default.length} more tools, for sandboxes, snapshots, webhooks and events: with --tools all, or ?tools=all in the address.`

/** Accepts any argument: the simulator checks it, with the same messages as for every other caller. */
const UNJUDGED = {
  getValidator:
    <Data>(): JsonSchemaValidator<Data> =>
    (data) => ({ valid: true, data: data as Data, errorMessage: undefined }),
}

function addTool(server: McpServer, tool: Tool, send: McpParts['send']): void {
  const { name, description, input, readsOnly, removes } = tool
  server.registerTool(
    name,
    {
      description,
      inputSchema: fromJsonSchema<Arguments>(input as object as JsonSchemaType, UNJUDGED),
      annotations: { readOnlyHint: readsOnly, destructiveHint: removes, openWorldHint: false },
    },
    async (args) => {
      const response = await send(tool.request(args))
      const text = await response.text()
      return {
        content: [{ type: 'text' as const, text: text === '' ? 'Done.' : text }],
        isError: !response.ok,
      }
    },
  )
}

/** Read once, because over HTTP every request creates a server. */
export const packageFiles = () => [
  ...filesIn('docs', '.md', 'text/markdown'),
  ...filesIn('scenarios', '.yaml', 'application/yaml'),
]

/** Bundled documents or scenarios. */
function filesIn(kind: string, ending: string, type: string) {
  const folder = new URL(`${kind}/`, PACKAGE_ROOT)
  return readdirSync(folder)
    .filter((file) => file.endsWith(ending))
    .map((file) => ({ name: `${kind}/${file.slice(0, -ending.length)}`, type, file: new URL(file, folder) }))
}

function addFile(server: McpServer, { name, type, file }: PackageFile): void {
  server.registerResource(name, `paysim://${name}`, { mimeType: type }, async (uri) => ({
    contents: [{ uri: uri.href, mimeType: type, text: await readFile(file, 'utf8') }],
  }))
}
