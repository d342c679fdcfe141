/** Receivers over real sockets: a good receiver gets grade A, and each broken one fails exactly the expected cases. */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { verifyWebhook } from '../../src/service/webhooks/sign.ts'
import { wallClock } from '../../src/spec/world/clock.ts'
import { junitXml } from '../../src/tools/checks/junit.ts'
import { htmlReport } from '../../src/tools/checks/page.tsx'
import { createSimulator } from '../../src/tools/compose.ts'
import { gradeReceiver, type ReportCard } from '../../src/tools/grade/grade.ts'
import { readMaterial } from '../../src/tools/grade/material.ts'
import { readProbe, readStateProbe } from '../../src/tools/grade/probe.ts'
import { gradeReport, gradeText } from '../../src/tools/grade/report.ts'
import { leftovers } from '../leftovers.ts'
import { served } from '../served.ts'

const SECRET = 'whsec_dGhlIHNlY3JldCBvZiB0aGUgZ3JhZGVkIHJlY2VpdmVy'

interface Came {
  body: string
  headers: IncomingHttpHeaders
  id: string
  type: string
}

/** The differences of a receiver from the good receiver. */
interface Quirks {
  verify?(came: { body: string; headers: IncomingHttpHeaders }): void
  /** Whether the receiver handles this event. */
  isNew?(came: Came, seen: Set<string>): boolean
  answer?(response: ServerResponse, came: Came): void
  maxChars?: number
  /** Ends with such a body, and answers nothing from then on. */
  crashesAt?(body: string): boolean
  /** Stores the state of each event in the order of arrival. */
  lastEventWins?: true
}

const KNOWN = ['checkout.created', 'refund.created', 'refund.completed']

const verify = ({ body, headers }: { body: string; headers: IncomingHttpHeaders }) =>
  verifyWebhook(body, headers, { secret: SECRET })

function isNew({ id, type }: Came, seen: Set<string>): boolean {
  if (!KNOWN.includes(type) || seen.has(id)) return false
  seen.add(id)
  return true
}

async function openGraded(quirks: Quirks) {
  const seen = new Set<string>()
  const states = new Map<string, string>()
  let handled = 0
  let isRunning = true
  return served(async (request, response) => {
    if (!isRunning) return response.destroy()
    if (request.url === '/handled') return response.end(JSON.stringify({ handled }))
    if (request.url?.startsWith('/refunds/')) {
      const state = states.get(request.url.slice('/refunds/'.length))
      return response.writeHead(state ? 200 : 404).end(JSON.stringify({ status: state }))
    }
    // The sender may disconnect while it sends.
    const body = await text(request).catch(() => undefined)
    if (body === undefined) return
    isRunning = !quirks.crashesAt?.(body)
    if (!isRunning) return response.destroy()
    if (body.length > (quirks.maxChars ?? 1_000_000)) return response.writeHead(413).end()
    const { headers } = request
    try {
      ;(quirks.verify ?? verify)({ body, headers })
    } catch {
      return response.writeHead(401).end()
    }
    const { id, type, data } = JSON.parse(body) as Came & { data: { id: string; status: string } }
    const came = { body, headers, id, type }
    if (quirks.lastEventWins || states.get(data.id) !== 'completed') states.set(data.id, data.status)
    if ((quirks.isNew ?? isNew)(came, seen)) handled += 1
    if (quirks.answer) return quirks.answer(response, came)
    return response.writeHead(204).end()
  })
}

async function graded(quirks: Quirks, timeoutMs = 15_000): Promise<ReportCard> {
  const [url, simulator] = [await openGraded(quirks), createSimulator({ rateLimit: 'off' })]
  onTestFinished(() => simulator.close())
  const platform = { shop: simulator.sandbox('default'), answer: simulator.fetch }
  return gradeReceiver({
    url: new URL(`${url}/webhooks`),
    material: { ...(await readMaterial(platform, SECRET, wallClock())), slowMs: 50 },
    timeoutMs,
    probe: () => readProbe(new URL(`${url}/handled`)),
    probeState: (refund) => readStateProbe(`${url}/refunds/{id}`, refund),
    progress: () => {},
  })
}

const failed = ({ cases }: ReportCard) => cases.filter(({ passed }) => !passed).map(({ name }) => name)

const FORGERIES = [
  'a body that was tampered with',
  'a signature with another secret',
  'no signature',
  'the signature of another message',
]

interface Broken {
  quirks: Quirks
  grade: ReportCard['grade']
  fails: readonly string[]
  /** The result of the first failed case. */
  came?: string
}

const BROKEN: Record<string, Broken> = {
  'handles duplicates twice': {
    quirks: { isNew: ({ type }) => KNOWN.includes(type) },
    grade: 'C',
    fails: ['the same webhook three times in sequence', 'the same webhook five times concurrently'],
  },
  'reserializes the body before it verifies': {
    quirks: {
      verify: ({ body, headers }) => verify({ body: JSON.stringify(JSON.parse(body)), headers }),
    },
    // Refuses common events.
    grade: 'F',
    fails: ['an amount written as 25.00'],
  },
  'takes the state of the last event received': {
    quirks: { lastEventWins: true },
    grade: 'B',
    fails: ['refund.completed before refund.created'],
    came: 'expected 2xx, then completed, came 204 (2 of 2), then pending',
  },
  'returns 500 for an unknown event type': {
    quirks: {
      answer: (response, { type }) => response.writeHead(KNOWN.includes(type) ? 204 : 500).end(),
    },
    grade: 'B',
    fails: ['an unknown event type'],
  },
  'does not look at the time': {
    quirks: {
      verify: ({ body, headers }) =>
        verifyWebhook(body, headers, {
          secret: SECRET,
          at: Number(headers['webhook-timestamp'] ?? 0) * 1000,
        }),
    },
    grade: 'F',
    fails: ['a timestamp one hour old', 'a timestamp one hour ahead'],
  },
  'accepts webhooks without a signature': {
    quirks: {
      verify: (came) => {
        if (came.headers['webhook-signature'] !== undefined) verify(came)
        else JSON.parse(came.body)
      },
    },
    grade: 'F',
    fails: ['no signature'],
    came: 'expected 4xx, handled 0 times, came 204, handled once',
  },
  'knows one signature only': {
    quirks: {
      verify({ body, headers }) {
        const [first] = String(headers['webhook-signature']).split(' ')
        verify({ body, headers: { ...headers, 'webhook-signature': first! } })
      },
    },
    grade: 'B',
    fails: ['two signatures during a secret rotation, the second one valid'],
  },
  'refuses more than 100 KB': {
    quirks: { maxChars: 100 * 1024 },
    grade: 'B',
    fails: ['an event of 256 KB'],
    came: 'expected 2xx, handled once, came 413, handled 0 times',
  },
}

test('a good receiver gets grade A, also with a timeout longer than any timer of Node', async () => {
  const card = await graded({}, 30 * 24 * 60 * 60_000)
  expect(failed(card)).toEqual([])
  expect(gradeText(card)).toBe('Grade A: 20 of 20 passed; not judged: duplicates after a restart (--start)')
  const answers = { ...card, judged: { effects: false, state: false, restart: false } }
  expect(gradeText(answers)).toBe(
    'Responses: A, 20 of 20 passed. Duplicates were not judged: pass --probe to count their effects.',
  )
  expect(card.cases.find(({ name }) => name.includes('concurrently'))).toMatchObject({
    expected: '2xx, handled once',
    came: '204 (5 of 5), handled once',
  })
})

test('a receiver that accepts any signature accepts the forgeries', async () => {
  const card = await graded({ verify: ({ body }) => void JSON.parse(body) })
  expect(failed(card)).toEqual([...FORGERIES, 'a timestamp one hour old', 'a timestamp one hour ahead'])
  expect(card.grade).toBe('F')
  expect(card.cases.find(({ name }) => name === 'no signature')).toMatchObject({
    expected: '4xx, handled 0 times',
    came: '204, handled once',
  })
})

test.each(Object.entries(BROKEN))('a receiver that %s', async (_, { quirks, grade, fails, came = '' }) => {
  const card = await graded(quirks)
  expect(failed(card)).toEqual(fails)
  expect(card.grade).toBe(grade)
  const report = gradeReport(card)
  const junit = junitXml(report)
  expect(junit).toContain(`tests="20" failures="${fails.length}"`)
  expect(junit).toContain(` message="${came}`)
  expect(report.json()).toEqual(card)
  expect(leftovers(htmlReport(report))).toEqual([])
})

test('the report names a receiver that redirects or does not respond', async () => {
  const moved = await graded({
    answer: (response) => response.writeHead(308, { location: '/webhooks/' }).end(),
  })
  expect(moved.cases[0]).toMatchObject({ passed: false, came: '308, handled once' })
  expect(moved.cases[0]!.fix).toContain('redirects are not followed')
  expect(moved.grade).toBe('F')

  let came = 0
  const silent = await graded(
    { answer: (response) => void (came++ > 0 && response.writeHead(204).end()) },
    1_000,
  )
  expect(silent.cases[0]).toMatchObject({ passed: false, came: 'no answer within 1 s, handled once' })
  expect(silent.cases[0]).toMatchObject({ wanted: 'taken', answers: [{ status: null, isLate: true }] })
  expect(silent.cases[0]!.fix).toContain('do the work later')
})

test('a receiver that crashes fails every case from then on, and is graded', async () => {
  const { grade, cases } = await graded({ crashesAt: (body) => body.length > 100 * 1024 })
  expect(grade).toBe('F')
  const from = cases.findIndex(({ name }) => name === 'an event of 256 KB')
  expect(cases.map(({ passed }) => passed)).toEqual(cases.map((_, index) => index < from))
  expect(cases[from]).toMatchObject({ expected: '2xx', came: expect.stringContaining('socket hang up') })
  expect(cases[from]!.fix).toContain('See its log.')
})

test('a 101 response is reported immediately', async () => {
  const protocol = { connection: 'upgrade', upgrade: 'x' }
  const card = await graded({ answer: (response) => void response.writeHead(101, protocol).end() }, 60_000)
  expect(card.cases[0]).toMatchObject({ passed: false, came: '101, handled once' })
  expect(card.grade).toBe('F')
})

test('a receiver that verifies with another secret gets only this finding', async () => {
  const secret = 'whsec_YW5vdGhlciBzZWNyZXQgdGhhdCBpcyBub3QgdGhlIG9uZQ=='
  const { grade, cases } = await graded({
    verify: ({ body, headers }) => verifyWebhook(body, headers, { secret }),
  })
  expect([grade, cases]).toMatchObject([
    'F',
    [
      {
        name: 'a valid webhook',
        came: expect.stringMatching(/^401/),
        fix: expect.stringMatching(/another secret: pass its secret as --secret/),
      },
    ],
  ])
})

test('a receiver that closes the first connection gets only this finding, with likely reasons', async () => {
  const { cases } = await graded({ answer: (response) => response.destroy() })
  expect(cases).toMatchObject([
    {
      name: 'a valid webhook',
      came: expect.stringMatching(/^ECONNRESET: socket hang up/),
      fix: expect.stringMatching(
        /^The other cases were not sent, because .* if this port serves HTTPS, use https:\/\/127\.0\.0\.1:\d+\.$/,
      ),
    },
  ])
})
