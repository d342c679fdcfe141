/** Where a service and a sandbox part, request by request, as it happens. */
import { compareSides } from '../player/compare-sides.ts'
import type { StepResult } from '../player/result.ts'
import type { GivenAnswer, ServiceExchange } from './evidence.ts'
import type { Mirror } from './mirror.ts'

export interface ShadowedRequest {
  /** Method and path, such as `POST /v1/checkouts`. */
  call: string
  theirs: number
  /** Undefined where the sandbox does not know the resource. */
  ours: number | undefined
  differences: readonly string[]
}

/** The request with our answer beside it, and what differs. */
export async function shadowed(
  mirror: Mirror,
  exchange: ServiceExchange,
): Promise<{ exchange: ServiceExchange; request: ShadowedRequest }> {
  const { ours, paired } = await mirror.play(exchange)
  const call = `${exchange.asked.method} ${exchange.asked.target}`
  const found =
    ours &&
    compareSides(side(call, ours, mirror.origin), side(call, paired, ''), {
      ownSandboxes: false,
      frozen: false,
    }).map(({ sentence }) => sentence)
  const differences = found ?? ['the resource was made before the sandbox, which does not know it']
  return {
    exchange: { ...exchange, ours },
    request: { call, theirs: exchange.theirs.status, ours: ours?.status, differences },
  }
}

function side(label: string, { status, headers, body }: GivenAnswer, origin: string) {
  const step: StepResult = {
    place: '1',
    id: undefined,
    together: false,
    repeated: false,
    label,
    outcome: 'passed',
    saw: String(status),
    reason: undefined,
    startedAt: '',
    tookMs: 0,
    request: { method: '', target: '', headers: [], body: undefined },
    expected: undefined,
    received: [
      { connection: 'answered', status, headers: { ...headers }, body: Buffer.from(body), tookMs: 0 },
    ],
    differences: [],
  }
  return { steps: [step], variables: new Map(), origin }
}
