/** A temporary server for one test, at a free port of this machine. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown

/** Serves HTTP until the test has finished; resolves with its address, such as `http://127.0.0.1:4100`. */
export const served = (answer: Answer) => untilTheTestEnds(createServer(answer))

/** Serves raw connections until the test has finished, with a callback for each. */
export const servedBytes = (answer: (socket: Socket) => unknown = () => {}) =>
  untilTheTestEnds(createTcpServer((socket) => void answer(socket.on('error', () => {}))))

/** Serves HTTP until it is closed, for a server that several tests share. */
export const openServer = (answer: Answer) => opened(createServer(answer))

async function untilTheTestEnds(server: Server): Promise<string> {
  const { url, close } = await opened(server)
  onTestFinished(() => void close())
  return url
}

async function opened(server: Server) {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close(): Promise<void> {
      return new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      })
    },
  }
}
