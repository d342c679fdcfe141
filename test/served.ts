/** A server of a test's own, at a free port of this machine: it closes when the test has finished. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** It answers HTTP; resolves with its address, such as `http://127.0.0.1:4100`. */
export const served = (answer: (request: IncomingMessage, response: ServerResponse) => unknown) =>
  opened(createServer(answer))

/** It does with each connection what the test says. */
export const servedBytes = (answer: (socket: Socket) => unknown = () => {}) =>
  opened(createTcpServer((socket) => void answer(socket.on('error', () => {}))))

async function opened(server: Server): Promise<string> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
