/** `paysim health`: an exit code that says whether paysim answers on this machine, for the health check of a container. */

import * as https from 'node:https'
import * as http from '../../spec/node-http.ts'

const TIMEOUT_MS = 2_000

/** A certificate that was made at the start is trusted by none here, and that paysim answers is all that is asked. */
export function health(port: number, isSecure: boolean): Promise<void> {
  const url = `${isSecure ? 'https' : 'http'}://127.0.0.1:${port}/healthz`
  const { get } = isSecure ? https : http
  return new Promise((resolve, reject) => {
    const request = get(url, { timeout: TIMEOUT_MS, rejectUnauthorized: false }, (response) => {
      response.resume()
      if (response.statusCode === 200) resolve()
      else reject(new Error(`${url} answered ${response.statusCode}.`))
    })
    request.on('timeout', () =>
      request.destroy(new Error(`${url} did not answer within ${TIMEOUT_MS / 1000} s.`)),
    )
    request.on('error', ({ message }) => reject(new Error(`No paysim serves on port ${port}: ${message}`)))
  })
}
