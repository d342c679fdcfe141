/** `paysim health`: whether a paysim serves on this machine, as an exit code; what a container's health check asks. */
import { get } from 'node:http'

const PATIENCE_MS = 2_000

export function health(port: number): Promise<void> {
  const url = `http://127.0.0.1:${port}/healthz`
  return new Promise((resolve, reject) => {
    const request = get(url, { timeout: PATIENCE_MS }, (response) => {
      response.resume()
      if (response.statusCode === 200) resolve()
      else reject(new Error(`${url} answered ${response.statusCode}.`))
    })
    request.on('timeout', () =>
      request.destroy(new Error(`${url} did not answer within ${PATIENCE_MS / 1000} s.`)),
    )
    request.on('error', ({ message }) => reject(new Error(`No paysim serves on port ${port}: ${message}`)))
  })
}
