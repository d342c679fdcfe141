/**
 * The load: a separate process that keeps several connections busy, with one request at a time on each.
 *
 * On two cores the client must not be the bottleneck, so it does only this: it writes prepared bytes, in which only the key
 * changes, and reads from each response only its status and its end.
 */
import { connect } from 'node:net'

export interface Load {
  port: number
  /** The bytes of a whole request. If there are several, each connection sends one. */
  request: string | readonly string[]
  /** The digits of the request that change each time it is sent. */
  fresh: string
  /** The required status of every response. */
  status: number
  connections: number
  durationMs: number
}

export interface Loaded {
  /** All responses, and those within the duration. */
  answers: number
  inTime: number
  /** The median and the 99th percentile of the response times. */
  middleMs: number
  slowest99Ms: number
}

let sent = 0

process.on('message', (load: Load) => {
  run(load).then(
    (loaded) => process.send!(loaded),
    (error) => process.send!({ error: error.message }),
  )
})

/**
 * Busy-polls for responses. Otherwise, each write of a slow server would have to wake a sleeping client, and the server would
 * pay for that, while a fast server would keep the client awake at no cost.
 */
async function run(load: Load): Promise<Loaded> {
  let waiting = setImmediate(function look() {
    waiting = setImmediate(look)
  })
  try {
    return await countAnswers(load)
  } finally {
    clearImmediate(waiting)
  }
}

async function countAnswers(load: Load): Promise<Loaded> {
  const end = performance.now() + load.durationMs
  let inTime = 0
  const times: number[] = []
  const goOn = (sentAt: number) => {
    const now = performance.now()
    times.push(now - sentAt)
    if (now < end) inTime++
    return now < end
  }
  const requests = [load.request].flat()
  await Promise.all(
    Array.from({ length: load.connections }, (_, at) =>
      keepBusy({ ...load, request: requests[at % requests.length]! }, goOn),
    ),
  )
  const sorted = Float64Array.from(times).sort()
  const within = (share: number) => sorted[Math.ceil(sorted.length * share) - 1]!
  return { answers: times.length, inTime, middleMs: within(0.5), slowest99Ms: within(0.99) }
}

/** Sends a request, waits for the response, and repeats while `goOn` returns true. */
function keepBusy(
  { port, request, fresh, status }: Load & { request: string },
  goOn: (sentAt: number) => boolean,
): Promise<void> {
  const bytes = Buffer.from(request)
  const freshAt = bytes.indexOf(fresh)
  const expected = `HTTP/1.1 ${status} `

  return new Promise((resolve, reject) => {
    let missing = 0 // remaining bytes of the response; 0 before its head
    let sentAt = 0

    const send = () => {
      if (freshAt >= 0) bytes.write(String(++sent).padStart(fresh.length, '0'), freshAt, 'latin1')
      sentAt = performance.now()
      socket.write(bytes)
    }
    const read = (size: number, buffer: Uint8Array) => {
      const text = Buffer.from(buffer.buffer, buffer.byteOffset, size)
      if (missing === 0) {
        const headEnd = text.indexOf('\r\n\r\n') // a server writes a head in one piece, so one read returns all of it
        const head = text.toString('latin1', 0, headEnd)
        const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
        const isChunked = /\r\ntransfer-encoding: chunked/i.test(head)
        if (!head.startsWith(expected) || !(length || isChunked)) {
          socket.destroy(new Error(`expected ${expected}and a length, received ${text}`))
          return false
        }
        missing = isChunked ? Number.POSITIVE_INFINITY : headEnd + 4 + Number(length)
      }
      missing = text.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK) ? 0 : missing - size
      if (missing > 0) return true
      if (goOn(sentAt)) send()
      else socket.destroy()
      return true
    }

    const onread = { buffer: Buffer.alloc(65_536), callback: read }
    const socket = connect({ host: '127.0.0.1', port, noDelay: true, onread })
    socket.on('connect', send)
    socket.on('error', reject)
    socket.on('end', () => reject(new Error('the server closed a connection')))
    socket.on('close', () => resolve())
  })
}

/** The last chunk of a chunked body. JSON never ends with these bytes. */
const LAST_CHUNK = Buffer.from('0\r\n\r\n')
