/**
 * Three processes behind a real nginx and HAProxy, with the configurations of examples/scale: every bundled scenario, a
 * process that is killed under load, and one that is added.
 */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect as connectTo } from 'node:net'
import { basename, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test } from 'vitest'
import { connect } from '../../src/control-client.ts'
import { freePorts, isInstalled, type Process, type ProxyName, startProxy } from '../examples/proxy.ts'
import { folder } from '../given.ts'
import { spawnPaysim, startPaysim } from '../process/paysim.ts'

/** Starts a process; on a restart it reuses its ports. */
async function startProcess(ports?: Process, data = folder(), more: readonly string[] = []) {
  const { port, productionPort } = ports ?? (await freePorts())
  const started = await startPaysim([
    ...['--port', String(port), '--production', '--production-port', String(productionPort)],
    ...['--data', data, '--trust-proxy', '--rate-limit', 'off'],
    ...more,
  ])
  return { ...started, data, port, productionPort }
}

async function started(proxy: ProxyName, processes: readonly Process[], ports?: Process) {
  const { child, ...addresses } = await startProxy(proxy, processes, folder(), ports)
  const ended = once(child, 'close')
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await ended
  })
  return addresses
}

const threeProcesses = (more: readonly string[] = []) =>
  Promise.all([1, 2, 3].map(() => startProcess(undefined, undefined, more)))

const processOf = async (url: string, name: string) => {
  const response = await fetch(`${url}/_sim/sandboxes/${name}`)
  return response.status
}

/** Scenarios that fail behind a proxy, because it has separate connections to the client and to paysim. */
const OTHERWISE = {
  // HAProxy closes a connection (FIN) that paysim reset (RST), and closes it on an invalid chunk.
  haproxy: ['answer-lost', 'answer-lost-twice', 'answer-unreadable', 'client-killed', 'request-lost'],
  // nginx resets a connection that paysim closed, and rechunks the body.
  nginx: ['answer-unreadable', 'connection-closed'],
}

describe.each(['haproxy', 'nginx'] as const)('%s', (proxy) => {
  const isHere = isInstalled(proxy)
  const name = (what: string) =>
    isHere ? what : `${what} (skipped: ${proxy} is not installed and cannot be)`

  test.skipIf(!isHere)(name('plays every bundled scenario'), async () => {
    const ports = await freePorts()
    // A process knows the address of production only from its options.
    const processes = await threeProcesses([
      '--production-public-url',
      `http://127.0.0.1:${ports.productionPort}`,
    ])
    const { url } = await started(proxy, processes, ports)
    const report = join(folder(), 'report.json')
    await spawnPaysim(['run', '--bundled', '--target', url, '--report', `json=${report}`]).exited
    const { files } = JSON.parse(readFileSync(report, 'utf8')) as {
      files: { file: string; outcome: string }[]
    }
    const thatAre = (outcome: string) =>
      files
        .filter((scenario) => scenario.outcome === outcome)
        .map(({ file }) => basename(file, '.yaml'))
        .sort()
    expect(thatAre('skipped')).toEqual([])
    expect(thatAre('failed')).toEqual(OTHERWISE[proxy])
    expect(files.length).toBeGreaterThan(30)
  })

  test.skipIf(!isHere)(
    name('spreads sandboxes, with or without a name, and puts copies beside their sources'),
    async () => {
      const { url } = await started(proxy, await threeProcesses())
      const client = connect(url)
      const made = await Promise.all(Array.from({ length: 30 }, () => client.create()))
      const posted = await Promise.all(
        Array.from({ length: 10 }, async () => {
          const response = await fetch(`${url}/_sim/sandboxes`, { method: 'POST' })
          return ((await response.json()) as { name: string }).name
        }),
      )
      for (const { name } of made) expect(await processOf(url, name)).toBe(200)
      for (const name of posted) expect(await processOf(url, name)).toBe(200)
      for (const source of made.slice(0, 5)) {
        const copy = await client.create({ from: source })
        expect(await processOf(url, copy.name)).toBe(200)
      }
    },
  )

  test.skipIf(!isHere)(
    name('serves production at a port of its own; with HAProxy testers see its sandboxes at both'),
    async () => {
      const { url, productionUrl } = await started(proxy, await threeProcesses())
      const [staging, production] = [connect(url), connect(productionUrl)]
      for (let at = 0; at < 10; at += 1) {
        const shop = await production.create({ name: `shop-${at}` })
        expect(shop.apiKey).toBe(`sk_live_shop-${at}`)
        await staging.create({ name: `shop-${at}` })
        if (proxy === 'haproxy') {
          expect(await processOf(url, `production.shop-${at}`)).toBe(200)
          expect(await processOf(productionUrl, `staging.shop-${at}`)).toBe(200)
        }
        const listed = (base: string, key: string) =>
          fetch(`${base}/v1/checkouts`, { headers: { 'x-api-key': `sk_${key}_shop-${at}` } })
        const statuses = [
          await listed(productionUrl, 'live'),
          await listed(url, 'staging'),
          await listed(url, 'live'),
          await listed(productionUrl, 'staging'),
        ].map(({ status }) => status)
        expect(statuses).toEqual([200, 200, 401, 401])
      }
    },
  )

  test.skipIf(!isHere)(
    name('loses nothing that was acknowledged when a process is killed under load'),
    async () => {
      const processes = await threeProcesses()
      const { url } = await started(proxy, processes)
      const client = connect(url)
      const shops = await Promise.all(
        Array.from({ length: 6 }, (_, at) => client.create({ name: `shop-${at}` })),
      )
      const working = shops.map(({ apiKey }) => work(url, apiKey, 150))
      const victim = processes[1]!
      await working[0]!.reached(40)
      await victim.kill()
      await startProcess(victim, victim.data)
      for (const [at, { done }] of working.entries()) {
        const acknowledged = await done
        expect(acknowledged).toHaveLength(150)
        const there = (await shops[at]!.events({ type: 'customer.created' })).map(
          ({ data }) => (data as { externalId: string }).externalId,
        )
        expect(there.sort()).toEqual([...acknowledged].sort())
      }
    },
  )
})

/** Sends one request after the other; after a lost response it retries with the same key, as a good client does. */
function work(url: string, apiKey: string, count: number) {
  const acknowledged: string[] = []
  const waiting: { at: number; resolve: () => void }[] = []
  const done = (async () => {
    while (acknowledged.length < count) {
      const externalId = `customer-${acknowledged.length}`
      const response = await fetch(`${url}/v1/customers`, {
        method: 'POST',
        headers: { 'x-api-key': apiKey, 'content-type': 'application/json', 'idempotency-key': externalId },
        body: JSON.stringify({ externalId }),
      }).catch(() => undefined)
      if (response?.status === 201) acknowledged.push(externalId)
      else await new Promise(setImmediate)
      for (const { at, resolve } of waiting) if (acknowledged.length >= at) resolve()
    }
    return acknowledged
  })()
  return { done, reached: (at: number) => new Promise<void>((resolve) => waiting.push({ at, resolve })) }
}

/** Sends a command to HAProxy's admin socket. */
function command(port: number, line: string): Promise<string> {
  const socket = connectTo(port, '127.0.0.1')
  socket.end(`${line}\n`)
  return text(socket)
}

test.skipIf(!isInstalled('haproxy'))('HAProxy loses no sandbox when a process is added', async () => {
  const processes = await threeProcesses()
  const { url, admin } = await started('haproxy', processes)
  const client = connect(url)
  const made = await Promise.all(Array.from({ length: 60 }, () => client.create()))
  const added = await startProcess()
  const said = await command(
    admin,
    `add server processes/paysim-3 127.0.0.1:${added.port}; enable server processes/paysim-3`,
  )
  expect(said).toContain('New server registered.')
  // Check that new sandboxes reach it.
  for (let at = 0; at < 60; at += 1) await client.create()
  expect((await added.call('GET', '/_sim/sandboxes')).text).toContain('sandbox-')
  for (const { name } of made) expect(await processOf(url, name)).toBe(200)
})
