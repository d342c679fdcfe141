/**
 * The MCP server as an agent sees it, through the official client: over HTTP here, over standard input in
 * test/process/mcp.test.ts.
 */
import { readdirSync } from 'node:fs'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, onTestFinished, test } from 'vitest'
import { SANDBOX_ROUTES } from '../../src/tester/control/sandbox-verbs.ts'
import { SIMULATOR_ROUTES } from '../../src/tester/control/simulator-verbs.ts'
import { TOOLS, TOOLSETS } from '../../src/tester/mcp/tools.ts'
import { asPlatform, openSimulator } from '../control/shop.ts'
import { ORDER } from '../order.ts'

async function connect(
  options: Parameters<typeof openSimulator>[0] = {},
  headers: Record<string, string> = {},
  tools = 'default',
) {
  const simulator = openSimulator(options)
  const { url } = await simulator.listen()
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`/_sim/mcp?tools=${tools}`, url), { requestInit: { headers } }),
  )
  onTestFinished(() => client.close())
  return { simulator, client }
}

async function call(client: Client, name: string, args: Record<string, unknown> = {}) {
  const { content, isError } = await client.callTool({ name, arguments: args })
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('')
  return { isError: isError === true, text, json: () => JSON.parse(text) }
}

describe('Tools', () => {
  test('Each verb has a tool', () => {
    const ids = [...SIMULATOR_ROUTES, ...SANDBOX_ROUTES].map(({ id }) => id.replaceAll('.', '_'))
    expect(TOOLS.map(({ name }) => name).toSorted()).toEqual([...new Set(ids)].toSorted())
  })

  test.each(TOOLS.map((tool) => [tool.name, tool] as const))(
    '%s has a description, a valid name and a schema',
    (name, tool) => {
      expect(name).toMatch(/^\w{1,64}$/)
      expect(tool.description).toMatch(/^[A-Z].+\.$/)
      expect(tool.input).toMatchObject({ type: 'object' })
    },
  )

  test('The listed schema has arguments, required arguments and descriptions', async () => {
    const { client } = await connect({}, {}, 'all')
    const { tools } = await client.listTools()
    expect(tools).toHaveLength(TOOLS.length)
    const tool = tools.find(({ name }) => name === 'requests_get')!
    expect(tool.inputSchema).toMatchObject({
      properties: { id: { type: 'string' }, sandbox: { type: 'string' } },
      required: ['id'],
    })
    expect(tool).toMatchObject({ annotations: { readOnlyHint: true } })
  })

  test('By default an agent gets twelve tools in 12 KB', async () => {
    const { client } = await connect()
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(TOOLSETS.default.map(({ name }) => name))
    expect(tools).toHaveLength(12)
    expect(JSON.stringify(tools).length).toBeLessThan(12_000)
    expect(client.getInstructions()).toContain(`${TOOLS.length - 12} more tools`)
  })

  test('An unknown set of tools is refused', async () => {
    const { url } = await openSimulator().listen()
    const answer = await fetch(`${url}/_sim/mcp?tools=some`, { method: 'POST' })
    expect([answer.status, await answer.json()]).toMatchObject([
      400,
      { message: expect.stringContaining('tools must be one of default, all') },
    ])
  })

  test('A lost response: armed, met by the app, explained, and judged', async () => {
    const { client, simulator } = await connect({}, {}, 'all')
    const made = await call(client, 'sandboxes_create', { body: { name: 'shop', clock: 'frozen' } })
    expect(made).toMatchObject({ isError: false })
    const armed = await call(client, 'arm', {
      sandbox: 'shop',
      body: { when: { op: 'checkouts.create' }, do: { fault: 'reset', at: 'after-commit' } },
    })
    expect(armed.json().data).toHaveLength(1)

    const platform = asPlatform(simulator, simulator.sandbox('shop'))
    await expect(platform('POST', '/v1/checkouts', ORDER)).rejects.toThrow()

    const [request] = (await call(client, 'requests_list', { sandbox: 'shop' })).json().data
    expect(request).toMatchObject({ fault: 'reset' })
    const explained = await call(client, 'explain', { sandbox: 'shop', idOrOrder: request.id })
    expect(explained.json().text).toContain('reset')
    expect((await call(client, 'audit', { sandbox: 'shop' })).json().findings.length).toBeGreaterThan(0)
  })

  test('Without a sandbox argument a tool acts on the default sandbox', async () => {
    const { client, simulator } = await connect()
    await call(client, 'clock_advance', { body: { advance: '2d' } })
    expect(new Date(simulator.sandbox('default').clock.now()).toISOString()).toBe('2026-01-03T00:00:00.000Z')
  })

  test('A mistake gets the same error message as over HTTP', async () => {
    const { client } = await connect()
    expect(await call(client, 'clock_advance', { body: { advanc: '2d' } })).toMatchObject({
      isError: true,
      text: expect.stringContaining('must be one of { advance: 2d }'),
    })
    expect(await call(client, 'ledger', { sandbox: 'shpo' })).toMatchObject({ isError: true })
    expect(await call(client, 'ledger', { sandbx: 'default' })).toMatchObject({
      isError: true,
      text: 'sandbx is unknown; did you mean sandbox?',
    })
    expect(await call(client, 'explain')).toMatchObject({
      isError: true,
      text: expect.stringContaining('idOrOrder is missing'),
    })
  })
})

describe('Resources', () => {
  test('Every document and every scenario of the package can be read', async () => {
    const { client } = await connect()
    const { resources } = await client.listResources()
    const files = (folder: string, ending: string) =>
      readdirSync(folder).filter((file) => file.endsWith(ending))
    expect(resources).toHaveLength(files('docs', '.md').length + files('scenarios', '.yaml').length)
    const { contents } = await client.readResource({ uri: 'paysim://scenarios/answer-lost' })
    expect(contents[0]).toMatchObject({
      mimeType: 'application/yaml',
      text: expect.stringContaining('steps:'),
    })
  })
})
