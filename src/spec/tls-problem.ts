/** Explanations for a client that uses HTTPS or HTTP on the wrong kind of port, or does not trust the certificate. */

/** Undefined for other errors. The codes of certificates are OpenSSL's names. */
export function tlsProblem({ code = '' }: NodeJS.ErrnoException): string | undefined {
  if (/^(EPROTO$|ERR_SSL_)/.test(code)) return 'this port does not speak HTTPS'
  if (!/CERT|SIGNATURE|ISSUER/.test(code)) return undefined
  return `its certificate is not trusted (${code}); set NODE_EXTRA_CA_CERTS to the file of its CA`
}

/** A hint after a closed connection: an HTTPS port closes an HTTP connection without a response. */
export const ifHttps = ({ protocol, host }: URL): string =>
  protocol === 'http:' ? `; if this port serves HTTPS, use https://${host}` : ''

/** A hint after `No paysim is running at …`, from the error of `fetch`, if it adds anything to name and port. */
export function whyNotFetched(url: URL, { cause }: { cause?: unknown }): string {
  const error = (cause ?? {}) as NodeJS.ErrnoException
  const why =
    tlsProblem(error) ?? (error.code === 'UND_ERR_SOCKET' && `the connection was closed${ifHttps(url)}`)
  return why ? `: ${why}` : ''
}
