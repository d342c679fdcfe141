/** Raw HTTP, for requests that no client would send. */
import { connect } from 'node:net'
import { onTestFinished } from 'vitest'
import { createSimulator, type SimulatorOptions } from '../../src/index.ts'

/** The port of a new simulator for the test. */
export async function listening(options: SimulatorOptions = {}) {
  const simulator = createSimulator({
    rateLimit: 'off',
    seed: 1,
    clock: 'frozen@2026-01-01T00:00:00Z',
    ...options,
  })
  onTestFinished(() => simulator.close())
  const { url } = await simulator.listen()
  return { simulator, url, port: Number(new URL(url).port) }
}

export interface RawAnswer {
  status: number
  headers: Record<string, string>
  text: string
}

/** Sends these bytes and reads until the server closes, which the request must ask for with Connection: close. */
export function sendRaw(port: number, ...parts: readonly (string | Uint8Array)[]): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    const chunks: Uint8Array[] = []
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('error', reject)
    socket.on('close', () => resolve(parsed(Buffer.concat(chunks).toString('utf8'))))
    for (const part of parts) socket.write(part)
  })
}

function parsed(answer: string): RawAnswer {
  const end = answer.indexOf('\r\n\r\n')
  const [start = '', ...lines] = answer.slice(0, end).split('\r\n')
  const headers = lines.map((line) => [
    line.slice(0, line.indexOf(':')).toLowerCase(),
    line.slice(line.indexOf(':') + 1).trim(),
  ])
  return {
    status: Number(start.split(' ')[1]),
    headers: Object.fromEntries(headers),
    text: answer.slice(end + 4),
  }
}

const KEY = 'x-api-key: sk_staging_default'

/** The head of a request: the request line, the default key, and further headers. */
export const head = (call: string, ...headers: readonly string[]): string =>
  [`${call} HTTP/1.1`, 'host: paysim.test', 'connection: close', KEY, ...headers, '', ''].join('\r\n')
