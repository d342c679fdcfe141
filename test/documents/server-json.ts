/**
 * `server.json`, by which the registry of MCP servers lists `paysim mcp`. It is generated from package.json, so that a release only
 * has to set the owner and the repository there.
 */

import { commandOptions } from '../../src/spec/options/option.ts'
import type { CommandRow } from '../../src/tools/options/command-row.ts'
import { COMMANDS } from '../../src/tools/options/commands.ts'

interface Manifest {
  name: string
  version: string
  /** The registry compares it with the server name: https://modelcontextprotocol.io/registry/package-types */
  mcpName: string
  repository?: { url: string }
}

export function serverJson({ name, version, mcpName, repository }: Manifest): string {
  const row: CommandRow = COMMANDS.mcp
  const variables = commandOptions(row.options, 'mcp').map(({ env, help, secret }) => ({
    name: env,
    description: help,
    isRequired: false,
    ...(secret && { isSecret: true }),
  }))
  const server = {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: mcpName,
    title: 'paysim',
    description:
      'Control a simulated payments service: inject failures, move the clock, and read the ledger.',
    version,
    ...(repository && {
      repository: { url: repository.url.replace(/^git\+|\.git$/g, ''), source: 'github' },
    }),
    packages: [
      {
        registryType: 'npm',
        identifier: name,
        version,
        runtimeHint: 'npx',
        transport: { type: 'stdio' },
        packageArguments: [{ type: 'positional', value: 'mcp' }],
        environmentVariables: variables,
      },
    ],
  }
  return `${JSON.stringify(server, null, 2)}\n`
}
