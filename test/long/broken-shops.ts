/** Copies of `examples/shop`, each with one common real-world mistake. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import { folder } from '../given.ts'

export const HONEST_SHOP = join(import.meta.dirname, '../../examples/shop')

interface Mistake {
  file: 'client.js' | 'receiver.js' | 'shop.js'
  /** The correct code, which must occur exactly once in the file. */
  right: string
  wrong: string
}

export const MISTAKES = {
  'no backoff': {
    file: 'client.js',
    right: 'await pause(waitMs)',
    wrong: '',
  },
  'handles duplicates twice': {
    file: 'receiver.js',
    right: 'if (seen.has(id)) return answer(204)',
    wrong: '',
  },
} as const satisfies Record<string, Mistake>

export type MistakeName = keyof typeof MISTAKES

/** Makes a copy in a folder that is removed after the test. */
export function brokenShop(name: MistakeName): string {
  const shop = folder()
  cpSync(HONEST_SHOP, shop, { recursive: true })
  const { file, right, wrong } = MISTAKES[name]
  const path = join(shop, file)
  const parts = readFileSync(path, 'utf8').split(right)
  if (parts.length !== 2) throw new Error(`${file} of examples/shop has ${right} ${parts.length - 1} times`)
  writeFileSync(path, parts.join(wrong))
  return shop
}

const SECRET = 'whsec_dGhlIHNlY3JldCBvZiB0aGUgZ3JhZGVkIHJlY2VpdmVy'

/** Starts the shop in its own process, which stops at the end of the test. */
export async function startShop(folder: string) {
  const child = spawn(process.execPath, ['server.js'], {
    cwd: folder,
    env: {
      ...process.env,
      PAYSIM_WEBHOOK_SECRET: SECRET,
      PAYSIM_WEBHOOK_URL: 'http://127.0.0.1:0/webhooks',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await once(child, 'close')
  })
  const [line] = await once(createInterface(child.stdout), 'line')
  const webhooks = /http:\S+/.exec(line)![0]
  return { webhooks, probe: new URL('/handled', webhooks).href, secret: SECRET }
}
