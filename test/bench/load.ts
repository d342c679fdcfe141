/**
 * The load: a process of its own that keeps some connections busy, with one request at a time on each.
 *
 * On two cores the client must not be the limit, so it does nothing but this: it writes prepared bytes, in which only
 * the key changes, and reads of each answer its status and where it ends.
 */
import { connect } from 'node:net'

export interface Load {
  port: number
  /** A whole request, as it goes over the wire; of several each connection sends one. */
  request: string | readonly string[]
  /** The digits of the request that change with each sending. */
  fresh: string
  /** The status that every answer must have. */
  status: number
  connections: number
  durationMs: number
}

export interface Loaded {
  /** All answers, and those that came before the end. */
  answers: number
  inTime: number
  /** How long half of the answers took at most, and how long 99 of 100. */
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
 * Looks for answers without a pause. A client that slept between the answers of a slow server would have to be woken by
 * each of its writes, and the server would pay for that; a fast one keeps it awake and would not.
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

/** Sends, waits for the answer, and does so again for as long as `goOn` says. */
function keepBusy(
  { port, request, fresh, status }: Load & { request: string },
  goOn: (sentAt: number) => boolean,
): Promise<void> {
  const bytes = Buffer.from(request)
  const freshAt = bytes.indexOf(fresh)
  const expected = `HTTP/1.1 ${status} `

  return new Promise((resolve, reject) => {
    let missing = 0 // bytes of the answer that are still to come; 0 before its head
    let sentAt = 0

    const send = () => {
      if (freshAt >= 0) bytes.write(String(++sent).padStart(fresh.length, '0'), freshAt, 'latin1')
      sentAt = performance.now()
      socket.write(bytes)
    }
    const read = (size: number, buffer: Uint8Array) => {
      const text = Buffer.from(buffer.buffer, buffer.byteOffset, size)
      if (missing === 0) {
        const headEnd = text.indexOf('\r\n\r\n') // a server writes a head in one piece, so it is read in one piece
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

/** The last chunk of a chunked body; no JSON ends with these bytes. */
const LAST_CHUNK = Buffer.from('0\r\n\r\n')
