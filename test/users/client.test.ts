/** A stranger's way to a client: a public generator, the strictest compiler, and a payment with what came out. */
import { execFile } from 'node:child_process'
import { cp, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { createSimulator } from '../../src/index.ts'

const here = import.meta.dirname
// In this folder, so that the compiler finds the client's library in its node_modules.
const built = join(here, 'built')

const node = (script: string, ...args: readonly string[]) =>
  promisify(execFile)(process.execPath, [script, ...args], { cwd: built })

test('a generated client compiles and drives create, confirm and refund', async () => {
  const simulator = createSimulator({ seed: 1, clock: 'frozen@2026-01-01T00:00:00Z' })
  onTestFinished(() => simulator.close())
  const { url } = await simulator.listen()

  await rm(built, { recursive: true, force: true })
  await mkdir(built)
  const document = await fetch(`${url}/openapi.json`)
  await writeFile(join(built, 'openapi.json'), await document.text())
  await cp(join(here, 'drive.ts'), join(built, 'drive.ts'))

  const generator = join(here, 'node_modules/openapi-typescript/bin/cli.js')
  await node(generator, 'openapi.json', '--output', 'schema.d.ts')
  const options = [
    '--strict',
    '--exactOptionalPropertyTypes',
    '--module',
    'nodenext',
    '--target',
    'es2022',
    '--ignoreConfig',
  ]
  // This project's compiler, which takes a third of the time of that of the generator.
  const compiler = join(here, '../../node_modules/typescript/bin/tsc')
  const compiled = await node(compiler, ...options, 'drive.ts').catch((cause) => cause)
  expect(compiled.stdout).toBe('')

  const { drive } = await import(join(built, 'drive.js'))
  const done = await drive(url, simulator.sandbox('default').apiKey)
  expect(done).toEqual({
    status: 'confirmed',
    refund: expect.stringMatching(/^ref_/),
    amount: 250.5,
    replayed: 'true',
    message: 'Amount exceeds the refundable amount',
    refunds: [{ id: done.refund, amount: 250.5 }],
  })
  expect(simulator.sandbox('default').ledger().sums).toMatchObject({
    charged: 1000,
    refunded: 250.5,
    refunds: 1,
  })
})
