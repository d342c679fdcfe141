/**
 * The load: a process of its own that keeps some connections busy, with one request at a time on each.
 *
 * On two cores the client must not be the limit, so it does nothing but this: it writes prepared bytes, in which only
 * the key changes, and reads of each answer its status and its length.
 */
import { connect } from 'node:net'

export interface Load {
  port: number
  /** A whole request, as it goes over the wire. */
  request: string
  /** The part of it that each sending replaces by digits of its own. */
  fresh: string
  /** The status that every answer must have. */
  status: number
  connections: number
  durationMs: number
}

let sent = 0

process.on('message', (load: Load) => {
  run(load).then(
    (answers) => process.send!({ answers }),
    (error) => process.send!({ error: error.message }),
  )
})

/**
 * Looks for answers without a pause. A client that slept between the answers of a slow server would have to be woken by
 * each of its writes, and the server would pay for that; a fast one keeps it awake and would not.
 */
async function run(load: Load): Promise<number> {
  let waiting = setImmediate(function look() {
    waiting = setImmediate(look)
  })
  try {
    return await countAnswers(load)
  } finally {
    clearImmediate(waiting)
  }
}

async function countAnswers(load: Load): Promise<number> {
  const end = performance.now() + load.durationMs
  let answers = 0
  const inTime = () => {
    const yes = performance.now() < end
    if (yes) answers++
    return yes
  }
  await Promise.all(Array.from({ length: load.connections }, () => keepBusy(load, inTime)))
  return answers
}

/** Sends, waits for the answer, and does so again for as long as `goOn` says. */
function keepBusy({ port, request, fresh, status }: Load, goOn: () => boolean): Promise<void> {
  const bytes = Buffer.from(request)
  const freshAt = bytes.indexOf(fresh)
  const expected = `HTTP/1.1 ${status} `

  return new Promise((resolve, reject) => {
    let missing = 0 // bytes of the answer that are still to come; 0 before its head

    const send = () => {
      if (freshAt >= 0) bytes.write(String(++sent).padStart(fresh.length, '0'), freshAt, 'latin1')
      socket.write(bytes)
    }
    const read = (size: number, buffer: Uint8Array) => {
      if (missing === 0) {
        const text = Buffer.from(buffer.buffer, buffer.byteOffset, size)
        const headEnd = text.indexOf('\r\n\r\n') // Node writes a head in one piece, so it is read in one piece
        const head = text.toString('latin1', 0, headEnd)
        const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
        if (!head.startsWith(expected) || !length) {
          socket.destroy(new Error(`expected ${expected}and a Content-Length, received ${text}`))
          return false
        }
        missing = headEnd + 4 + Number(length)
      }
      missing -= size
      if (missing > 0) return true
      if (goOn()) send()
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
