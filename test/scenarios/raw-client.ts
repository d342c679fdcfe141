import { connect } from 'node:net'

export interface Connection {
  /** All bytes that were received, as text. */
  received(): string
  /** Resolves once the received bytes contain this text. */
  until(text: string): Promise<string>
  /** How the connection ended: `closed` with a FIN, or the socket's error such as ECONNRESET. */
  ended: Promise<string>
  giveUp(): void
}

/** A client without HTTP: writes a request, stores the received bytes, and reports how the connection ends. */
export function rawRequest(
  url: string,
  head: string,
  body?: unknown,
  apiKey = 'sk_staging_default',
): Connection {
  const { hostname, port } = new URL(url)
  const text = body === undefined ? '' : JSON.stringify(body)
  const socket = connect({ host: hostname, port: Number(port) })
  const [call = '', ...headers] = head.split('\n')
  socket.write(
    [
      `${call} HTTP/1.1`,
      `Host: ${hostname}:${port}`,
      `x-api-key: ${apiKey}`,
      ...(text === ''
        ? []
        : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(text)}`]),
      ...headers,
      '',
      text,
    ].join('\r\n'),
  )

  let received = ''
  let watch = () => {}
  socket.on('data', (bytes) => {
    received += bytes.toString('latin1')
    watch()
  })
  const ended = new Promise<string>((resolve) => {
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    socket.on('end', () => resolve('closed'))
  })
  return {
    received: () => received,
    ended,
    until: (text) =>
      new Promise((resolve, reject) => {
        ended.then((how) => reject(new Error(`${how} before ${text}`)))
        watch = () => received.includes(text) && resolve(received)
        watch()
      }),
    giveUp: () => socket.destroy(),
  }
}

/** The head and body of a response, as received. */
export function parts(received: string): { head: string; body: string } {
  const end = received.indexOf('\r\n\r\n')
  return { head: received.slice(0, end).toLowerCase(), body: received.slice(end + 4) }
}
