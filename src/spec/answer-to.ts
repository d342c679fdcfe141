import type { ClientRequest, IncomingMessage } from 'node:http'

/**
 * The answer to a request, or the reason why there is none. Node tells of a 101 by `upgrade` in place of `response`; where
 * nothing listens to that it closes the connection without an error, and a wait for `response` alone would never end.
 */
export function answerTo(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('response', resolve)
    request.once('upgrade', (response, socket) => {
      socket.destroy()
      resolve(response)
    })
    // Not `once`: an error in the middle of the answer's body is emitted here too, where the promise is
    // settled already, and on the answer itself, whose reader handles it.
    request.on('error', reject)
    request.once('close', () => reject(new Error('the connection was closed without an answer')))
  })
}
