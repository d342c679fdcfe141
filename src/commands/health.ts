/** `paysim health`: an exit code that says whether paysim answers on this machine, for the health check of a container. */
import { get } from 'node:http'

const TIMEOUT_MS = 2_000

export function health(port: number): Promise<void> {
  const url = `http://127.0.0.1:${port}/healthz`
  return new Promise((resolve, reject) => {
    const request = get(url, { timeout: TIMEOUT_MS }, (response) => {
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
