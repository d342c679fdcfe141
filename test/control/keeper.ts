/** A data folder with one simulator at a time, and the files in it. */
import { readdirSync } from 'node:fs'
import { expect, onTestFinished } from 'vitest'
import type { SimulatorOptions } from '../../src/index.ts'
import { composeSimulator, type Simulator } from '../../src/tools/compose.ts'
import { folder } from '../given.ts'
import { asPlatform, order, START } from './shop.ts'

export function keeper(usual: SimulatorOptions = { clock: `frozen@${START}` }) {
  const data = folder()
  let composed: ReturnType<typeof composeSimulator> | undefined
  async function close(): Promise<void> {
    await composed?.simulator.close()
    composed = undefined
  }
  onTestFinished(close)
  const files = () => readdirSync(data).toSorted()
  return {
    data,
    files,
    close,
    /** Closes the open simulator first. */
    async open(options: SimulatorOptions = {}, openDatabases?: number): Promise<Simulator> {
      await close()
      const all = { data, durability: 'process', rateLimit: 'off', seed: 1, ...usual, ...options } as const
      composed = composeSimulator(all, { openDatabases })
      return composed.simulator
    },
    /** The parts of the sandbox `default`. */
    inside: () => composed!.internalsOf('default'),
    names: () =>
      composed!.simulator
        .sandboxes()
        .map(({ name }) => name)
        .toSorted(),
    /** The sandboxes with an open database, recognized by SQLite's WAL file. */
    awake: () =>
      files()
        .filter((file) => file.endsWith('.sqlite-wal'))
        .map((file) => file.replace('.sqlite-wal', '')),
  }
}

export async function addCheckout(simulator: Simulator, name: string): Promise<void> {
  const { status } = await asPlatform(simulator, simulator.find(name))('POST', '/v1/checkouts', order())
  expect(status).toBe(201)
}

export async function checkouts(simulator: Simulator, name: string): Promise<number> {
  return (await asPlatform(simulator, simulator.find(name))('GET', '/v1/checkouts')).body.data.length
}
