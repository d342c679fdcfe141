/** The built command as an agent starts it: the protocol over stdin and stdout. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, onTestFinished, test } from 'vitest'
import { folder } from '../given.ts'
import { COMMAND, servedPaysim, spawnPaysim } from './paysim.ts'

async function agent(target: string) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [COMMAND, 'mcp', '--target', target],
  })
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(transport)
  onTestFinished(() => client.close())
  return client
}

test('an agent controls a running paysim, and reads its documents', async () => {
  const { url } = await servedPaysim()
  const client = await agent(url)
  expect(client.getServerVersion()).toMatchObject({ name: 'paysim' })
  const { content } = await client.callTool({ name: 'sandboxes_get', arguments: { sandbox: 'default' } })
  expect(content).toMatchObject([{ text: expect.stringContaining('"apiKey":"sk_staging_default"') }])
  const { contents } = await client.readResource({ uri: 'paysim://docs/gauntlet' })
  expect(contents).toMatchObject([{ text: expect.stringContaining('gauntlet') }])
})

test('without a running paysim, each tool explains how to start one', async () => {
  const client = await agent('http://127.0.0.1:1')
  expect(await client.callTool({ name: 'ledger', arguments: {} })).toMatchObject({
    isError: true,
    content: [{ text: 'No paysim is running at http://127.0.0.1:1; paysim start starts one' }],
  })
})

test('the command exits at the end of its input, even if that is /dev/null', async () => {
  expect(await spawnPaysim(['mcp']).exited).toEqual({ code: 0, signal: null, stdout: '', stderr: '' })
})

test.for([
  [
    'it ignores lines that are not JSON, or not a message',
    ['garbage', '', '[]', '{"jsonrpc":"2.0","id":{}}', '['.repeat(100_000)],
    0,
    '',
  ],
  [
    'it exits on a line that is longer than it can read',
    ['x'.repeat(11 * 1024 ** 2)],
    1,
    'A message is larger than 10 MB.\n',
  ],
] as const)('%s', async ([, lines, code, stderr]) => {
  const file = join(folder(), 'lines')
  const ping = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/list', params: {} })
  writeFileSync(file, `${[...lines, INITIALIZE, ping].join('\n')}\n`)
  const input = openSync(file, 'r')
  const mcp = spawn(process.execPath, ['dist/main.js', 'mcp'], { stdio: [input, 'pipe', 'pipe'] })
  closeSync(input)
  const [said, problem, [ended]] = await Promise.all([
    text(mcp.stdout!),
    text(mcp.stderr!),
    once(mcp, 'close'),
  ])
  expect([ended, problem]).toEqual([code, stderr])
  expect(said.match(/"id":7/g)).toEqual(code === 0 ? ['"id":7'] : null)
})

const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
})
