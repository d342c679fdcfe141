/** Other simulators that people run beside their tests, measured with the same load where they are installed. */
import { spawnSync } from 'node:child_process'
import { type Contestant, wireText } from './measure.ts'
import { type Server, start } from './server.ts'

/** What a peer is asked in place of paysim's own call. */
export type PeerCall = 'create' | 'read' | 'list'

export interface Peer {
  name: 'stripe-mock' | 'WireMock'
  /** Starts it, to be asked; a peer without data of its own answers what paysim answers. */
  prepare(call: PeerCall, status: number, text: string): Promise<Contestant>
  /** Why it cannot be measured here, and what would help; undefined where it can. */
  missing(): string | undefined
}

const JAR = process.env.WIREMOCK_JAR

const stripeMock: Peer = {
  name: 'stripe-mock',
  missing: () =>
    spawnSync('stripe-mock', ['-version']).error &&
    'stripe-mock is not on the PATH: go install github.com/stripe/stripe-mock@latest',
  async prepare(call) {
    const server = await start('stripe-mock', ['-http-port', '0'], /[: ](\d+)$/)
    const form = ['Authorization: Bearer sk_test_123', 'Content-Type: application/x-www-form-urlencoded']
    const requests = {
      create: wireText('POST', '/v1/payment_intents', form, 'amount=1000&currency=usd'),
      read: wireText('GET', '/v1/payment_intents/pi_1', form),
      list: wireText('GET', '/v1/payment_intents?limit=20', form),
    }
    return { server, request: requests[call], status: 200 }
  },
}

const wireMock: Peer = {
  name: 'WireMock',
  missing: () =>
    JAR
      ? spawnSync('java', ['-version']).error && 'WireMock needs java on the PATH'
      : 'WIREMOCK_JAR names no wiremock-standalone.jar; Maven Central has it as org.wiremock:wiremock-standalone',
  async prepare(call, status, body) {
    const args = ['-jar', JAR!, '--port', '0', '--max-request-journal-entries', '10000']
    const server = await start('java', args, /^port:\s+(\d+)/)
    const method = call === 'create' ? 'POST' : 'GET'
    const json = { 'content-type': 'application/json' }
    await stub(server, {
      request: { method, urlPath: '/v1/checkouts' },
      response: { status, body, headers: json },
    })
    const request = wireText(
      method,
      '/v1/checkouts',
      ['Content-Type: application/json'],
      call === 'create' ? '{"amount":1000}' : undefined,
    )
    return { server, request, status }
  },
}

async function stub({ url }: Server, mapping: object): Promise<void> {
  const answer = await fetch(`${url}/__admin/mappings`, { method: 'POST', body: JSON.stringify(mapping) })
  if (!answer.ok) throw new Error(`WireMock refused the stub: ${await answer.text()}`)
}

export const PEERS: readonly Peer[] = [stripeMock, wireMock]
