/** Sentences for a client that speaks HTTPS or HTTP to the wrong kind of port, or trusts no such certificate. */

/** Undefined for an error of another kind. The codes of certificates are OpenSSL's names. */
export function tlsProblem({ code = '' }: NodeJS.ErrnoException): string | undefined {
  if (/^(EPROTO$|ERR_SSL_)/.test(code)) return 'this port does not speak HTTPS'
  if (!/CERT|SIGNATURE|ISSUER/.test(code)) return undefined
  return `its certificate is not trusted (${code}); NODE_EXTRA_CA_CERTS=FILE names the authority that made it`
}

/** To follow a sentence about a closed connection: a port that speaks HTTPS closes one of HTTP without an answer. */
export const ifHttps = ({ protocol, host }: URL): string =>
  protocol === 'http:' ? `; where this port speaks HTTPS, its address is https://${host}` : ''

/** To follow `No paysim answers at …`: what `fetch` threw, where a name and a port would not say more. */
export function whyNotFetched(url: URL, { cause }: { cause?: unknown }): string {
  const error = (cause ?? {}) as NodeJS.ErrnoException
  const why =
    tlsProblem(error) ?? (error.code === 'UND_ERR_SOCKET' && `the connection was closed${ifHttps(url)}`)
  return why ? `: ${why}` : ''
}
