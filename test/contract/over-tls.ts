/** Sends requests over TLS, by HTTP/1.1 or HTTP/2, to a listening simulator. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { connect, type IncomingHttpHeaders } from 'node:http2'
import { request as ask } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { Simulator } from '../../src/index.ts'
import { certificateFor } from '../../src/server/http/certificate.ts'

type Ask = (request: Request) => Promise<Response>

export function overTls(simulator: Pick<Simulator, 'listen'>, version: string): Ask {
  const listening = sharedCertificate().then(({ tlsCert, tlsKey }) => simulator.listen({ tlsCert, tlsKey }))
  const send = { https: sendHttp1, http2: sendHttp2 }[version]!
  return async (request) => {
    const [{ url }, { ca }] = await Promise.all([listening, sharedCertificate()])
    const { status, headers, body } = await send(url, ca, request)
    const fields = Object.entries(headers).filter(([name]) => !name.startsWith(':'))
    const content = status === 204 || body.length === 0 ? null : new Uint8Array(body)
    return new Response(content, { status, headers: fields.map(([name, value]) => [name, String(value)]) })
  }
}

let made: ReturnType<typeof makeFiles> | undefined

/** Creating a certificate takes longer than most cases, so all of them share one. */
export function sharedCertificate() {
  made ??= makeFiles()
  return made
}

async function makeFiles() {
  const file = (name: string) => join(folder, name)
  const folder = mkdtempSync(join(tmpdir(), 'paysim-'))
  const certificate = await certificateFor({ tlsCaOut: file('ca.pem') }, ['paysim.test'], Date.now())
  writeFileSync(file('cert.pem'), certificate!.cert)
  writeFileSync(file('key.pem'), certificate!.key)
  return { tlsCert: file('cert.pem'), tlsKey: file('key.pem'), ca: readFileSync(file('ca.pem'), 'utf8') }
}

interface Answered {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

/** `host`: the Host header, optional. */
export async function sendHttp1(
  url: string,
  ca: string,
  request: Request,
  host = new URL(request.url).host,
): Promise<Answered> {
  const { pathname, search } = new URL(request.url)
  const body = Buffer.from(await request.arrayBuffer())
  // Node sends no Content-Length for a DELETE.
  const length = body.length > 0 && { 'content-length': String(body.length) }
  const headers = { ...Object.fromEntries(request.headers), host, ...length }
  return new Promise((resolve, reject) => {
    const { method, signal } = request
    // The certificate is for `localhost`. Without this, Node checks it for the name in the Host header.
    const options = { method, headers, signal, ca, agent: false, servername: 'localhost' }
    const sent = ask(new URL(pathname + search, url), options)
    sent.on('error', reject)
    sent.on('response', (answer) =>
      buffer(answer).then(
        (body) => resolve({ status: answer.statusCode!, headers: answer.headers, body }),
        reject,
      ),
    )
    sent.end(body.length > 0 ? body : undefined)
  })
}

export async function sendHttp2(
  url: string,
  ca: string,
  request: Request,
  host = new URL(request.url).host,
): Promise<Answered> {
  const { pathname, search } = new URL(request.url)
  const body = Buffer.from(await request.arrayBuffer())
  const session = connect(url, { ca })
  try {
    return await new Promise((resolve, reject) => {
      session.on('error', reject)
      const stream = session.request(
        {
          ...Object.fromEntries(request.headers),
          ':method': request.method,
          ':path': pathname + search,
          ':authority': host,
        },
        // Otherwise Node ends the stream of a DELETE before its body is sent.
        { endStream: false, signal: request.signal },
      )
      stream.on('error', reject)
      stream.on('response', (headers) =>
        buffer(stream).then((body) => resolve({ status: headers[':status']!, headers, body }), reject),
      )
      stream.end(body.length > 0 ? body : undefined)
    })
  } finally {
    session.close()
  }
}
