/**
 * A stand-in for a container engine that implements the requests of testcontainers. A container is `paysim start` as a process,
 * with the variables and files of the container. It is healthy if `paysim health` passes, as in the image.
 */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { type Place, spawnPaysim } from '../process/paysim.ts'

/** The arguments of the request that created a container. */
interface Asked {
  Image: string
  Env?: string[]
  Labels: Record<string, string>
  HostConfig: { PortBindings: Record<string, unknown> }
}

interface Container {
  id: string
  asked: Asked
  /** The folder that is its file system. */
  root: string
  paysim: ReturnType<typeof spawnPaysim> | undefined
}

const ENGINE = {
  ServerVersion: '28.0.0',
  OperatingSystem: 'stand-in',
  OSType: 'linux',
  Architecture: 'x86_64',
}

export async function startEngine(place: Place = {}) {
  const containers: Container[] = []
  const connected: unknown[] = []
  const files = mkdtempSync(join(tmpdir(), 'paysim-containers-'))

  const ports = ({ paysim, asked }: Container) => {
    const said = [...(paysim?.said.stdout.matchAll(/^paysim serves on http:\/\/[\d.]+:(\d+)$/gm) ?? [])]
    const asking = Object.keys(asked.HostConfig.PortBindings).slice(0, said.length)
    return Object.fromEntries(
      asking.map((port, index) => [port, [{ HostIp: '127.0.0.1', HostPort: said[index]![1]! }]]),
    )
  }

  const isHealthy = async (container: Container) => {
    const [first] = Object.values(ports(container))
    if (!first) return false
    const { exited } = spawnPaysim(['health', '--port', first[0]!.HostPort], {}, place)
    return (await exited).code === 0
  }

  const ROUTES: Record<
    string,
    (container: Container, request: IncomingMessage, response: ServerResponse) => unknown
  > = {
    'GET /info': () => ENGINE,
    'GET /images/paysim:latest/json': () => ({ Id: 'paysim' }),
    'POST /containers/create': async (_, request) => {
      const root = mkdtempSync(join(files, 'container-'))
      const id = basename(root)
      containers.push({ id, asked: await json(request), root, paysim: undefined })
      return { Id: id }
    },
    'GET /containers/json': (_, { url }) => {
      const { label = [] } = JSON.parse(new URL(url!, 'http://engine').searchParams.get('filters') ?? '{}')
      const has = ({ asked }: Container) =>
        label.every((text: string) => Object.entries(asked.Labels).some((pair) => pair.join('=') === text))
      return containers.filter(has).map(({ id }) => ({ Id: id }))
    },
    'PUT /containers/ID/archive': async ({ root }, request) => {
      const tar = spawn('tar', ['-x', '-C', root], { stdio: ['pipe', 'ignore', 'ignore'] })
      request.pipe(tar.stdin)
      await once(tar, 'close')
    },
    'POST /containers/ID/start': (container) => {
      const { Env = [] } = container.asked
      const variables = Env.map((line) => line.split(/=(.*)/s) as [string, string])
      // Map a path in the container to its folder.
      const inRoot = ([name, value]: [string, string]) => [
        name,
        value.startsWith('/') ? container.root + value : value,
      ]
      const environment = Object.fromEntries(variables.map(inRoot))
      container.paysim = spawnPaysim(
        ['start', '--port', '0', '--production-port', '0', '--log', 'silent'],
        environment,
        place,
      )
    },
    'GET /containers/ID/json': async (container) => {
      const { id, asked, paysim } = container
      if (paysim?.child.exitCode != null) throw new Error(paysim.said.stderr)
      return {
        Id: id,
        Name: `/${id}`,
        Config: { Hostname: id, Labels: asked.Labels, Tty: false },
        HostConfig: asked.HostConfig,
        State: { Running: true, Health: { Status: (await isHealthy(container)) ? 'healthy' : 'starting' } },
        NetworkSettings: { Ports: ports(container), Networks: {} },
      }
    },
    'GET /containers/ID/logs': ({ paysim }, _, response) => {
      const text = Buffer.from(paysim!.said.stdout)
      const head = Buffer.alloc(8)
      head.writeUInt8(1)
      head.writeUInt32BE(text.length, 4)
      response.end(Buffer.concat([head, text]))
    },
    'POST /containers/ID/stop': async ({ paysim }) => {
      paysim!.child.kill('SIGTERM')
      await paysim!.exited
    },
    'DELETE /containers/ID': ({ id }) => {
      containers.splice(
        containers.findIndex((container) => container.id === id),
        1,
      )
    },
    'POST /networks/create': () => ({ Id: 'network-0' }),
    'POST /networks/ID/connect': async (_, request) => void connected.push(await json(request)),
    'GET /networks/ID': () => ({ Id: 'network-0' }),
    'DELETE /networks/ID': () => {},
  }

  const server = createServer(async (request, response) => {
    const [path] = request.url!.split('?')
    const id = /^\/(?:containers|networks)\/(?!create$|json$)([^/]+)/.exec(path!)?.[1]
    const route = `${request.method} ${id === undefined ? path : path!.replace(id, 'ID')}`
    try {
      const answer = ROUTES[route]
      if (!answer) throw new Error(`The stand-in has no ${route}`)
      const body = await answer(containers.find((container) => container.id === id)!, request, response)
      if (!response.writableEnded)
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    } catch (cause) {
      response.writeHead(500).end(JSON.stringify({ message: (cause as Error).message }))
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    containers,
    /** The arguments of the requests that connected containers to a network. */
    connected,
    environment: { DOCKER_HOST: `tcp://127.0.0.1:${port}`, TESTCONTAINERS_RYUK_DISABLED: 'true' },
    stop() {
      server.closeAllConnections()
      server.close()
      rmSync(files, { recursive: true })
    },
  }
}

async function json(request: IncomingMessage) {
  return JSON.parse(Buffer.concat(await request.toArray()).toString())
}
