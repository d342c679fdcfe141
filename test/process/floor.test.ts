/** The floor of the bench stores its responses, replays them and refuses requests correctly. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import config from '../bench/rolldown.config.ts'
import { folder } from '../given.ts'
import { ORDER } from '../order.ts'

const built = join(import.meta.dirname, 'built')

beforeAll(async () => {
  const floor = await rolldown({ ...config, input: 'test/bench/floor.ts' })
  await floor.write({ dir: built })
})

async function startFloor(...args: string[]) {
  const child = spawn(process.execPath, [join(built, 'floor.js'), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const stop = async () => {
    if (child.kill('SIGKILL')) await once(child, 'exit')
  }
  onTestFinished(stop)
  const [said] = await once(child.stdout, 'data')
  const call = async (path: string, body?: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${String(said).trim()}/v1/checkouts${path}`, {
      headers: {
        'x-api-key': 'sk_staging_default',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { method: 'POST', body }),
    })
    return { status: answer.status, text: await answer.text(), headers: answer.headers }
  }
  return { call, stop }
}

test('it stores its responses in a file, and replays the response of a key', async () => {
  const file = join(folder(), 'floor.sqlite')
  const first = await startFloor(file)
  const key = { 'idempotency-key': 'k-1' }
  const made = await first.call('', JSON.stringify(ORDER), key)
  expect(made).toMatchObject({ status: 201 })
  expect(JSON.parse(made.text)).toMatchObject({ ...ORDER, status: 'pending', amountRefunded: 0 })
  await first.stop()

  const { call } = await startFloor(file)
  expect(await call('', JSON.stringify(ORDER), key)).toMatchObject({ status: 201, text: made.text })
  expect(await call('', '{}', key)).toMatchObject({ status: 422 })
  // Its page is at another port after the restart.
  const kept = { ...JSON.parse(made.text), checkoutUrl: expect.any(String) }
  expect(JSON.parse((await call(`/${kept.id}`)).text)).toEqual(kept)
  expect(JSON.parse((await call('')).text)).toEqual({ data: [kept], hasMore: false, nextCursor: null })
})

test('it lists the newest twenty, counts each request, and refuses invalid ones', async () => {
  const { call } = await startFloor()
  for (let number = 0; number < 21; number += 1) {
    expect((await call('', JSON.stringify({ ...ORDER, orderId: `o-${number}` }))).status).toBe(201)
  }
  const { text, headers } = await call('')
  const { data, hasMore } = JSON.parse(text)
  expect(hasMore).toBe(true)
  expect(data.map(({ orderId }: { orderId: string }) => orderId)).toEqual(
    Array.from({ length: 20 }, (_, at) => `o-${20 - at}`),
  )
  expect(headers.get('x-ratelimit-remaining')).toBe(String(1_000_000_000 - 22))
  expect(await call('', '{}')).toMatchObject({ status: 400 })
  expect(await call('', '{}', { 'content-type': 'text/plain' })).toMatchObject({ status: 415 })
  expect(await call('/chk_none')).toMatchObject({ status: 404 })
  expect(await call('', undefined, { 'x-api-key': 'another' })).toMatchObject({ status: 401 })
})
