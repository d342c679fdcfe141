/** `paysim health`: checks whether paysim responds on this machine, as the health check of a container. */
import { answerTo, clientFor } from '../../spec/node-http.ts'
import { within } from '../../spec/world/clock.ts'
import type { Resolved } from '../options/commands.ts'

const TIMEOUT_MS = 2_000

/**
 * Ignores the certificate: this machine need not trust a certificate generated at start, and the command only checks that paysim
 * responds.
 */
export async function health({ port, tls, tlsCert, tlsCaOut }: Resolved<'health'>): Promise<void> {
  const protocol = tls || tlsCert !== undefined || tlsCaOut !== undefined ? 'https:' : 'http:'
  const url = `${protocol}//127.0.0.1:${port}/healthz`
  const request = clientFor(protocol).get(url, { rejectUnauthorized: false })
  const response = await within(TIMEOUT_MS, answerTo(request), undefined).catch(({ message }: Error) => {
    throw new Error(`No paysim is running on port ${port}: ${message}`)
  })
  request.destroy()
  if (!response) throw new Error(`${url} did not respond within ${TIMEOUT_MS / 1000} s.`)
  if (response.statusCode !== 200) throw new Error(`${url} answered ${response.statusCode}.`)
}
