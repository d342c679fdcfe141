/** The certificate of an HTTPS server: from files, or created for this machine at the start. */
import { X509Certificate } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { hostname } from 'node:os'
import type { ListenOptions } from '../../spec/options/simulator.ts'
import { readTextFile } from '../../spec/text-file.ts'

export interface Certificate {
  cert: string
  key: string
  /** SHA-256, as browsers and openssl show it. */
  fingerprint: string
}

/** Undefined for plain HTTP. A created certificate is valid for `hosts` and the names of this machine. */
export async function certificateFor(
  { tls, tlsCert, tlsKey, tlsCaOut }: Pick<ListenOptions, 'tls' | 'tlsCert' | 'tlsKey' | 'tlsCaOut'>,
  hosts: readonly string[],
  now: number,
): Promise<Certificate | undefined> {
  if (tlsCert !== undefined && tlsKey !== undefined) {
    return withFingerprint(pem(tlsCert, '--tls-cert', 'CERTIFICATE'), pem(tlsKey, '--tls-key', 'PRIVATE KEY'))
  }
  if (!tls && tlsCaOut === undefined) return undefined
  const { cert, key, authority } = await makeCertificate(hosts, now)
  if (tlsCaOut !== undefined) write(tlsCaOut, authority)
  return withFingerprint(cert, key)
}

const withFingerprint = (cert: string, key: string): Certificate => ({
  cert,
  key,
  fingerprint: new X509Certificate(cert).fingerprint256,
})

function pem(file: string, flag: string, what: string): string {
  const text = reading(file, flag)
  if (!text.includes(`${what}-----`)) throw new Error(`${flag} ${file} has no ${what} in PEM.`)
  return text
}

function reading(file: string, flag: string): string {
  try {
    return readTextFile(file)
  } catch (cause) {
    throw new Error(`${flag}: ${(cause as Error).message}`, { cause })
  }
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text)
  } catch (cause) {
    throw new Error(`--tls-ca-out ${file} cannot be written: ${(cause as NodeJS.ErrnoException).code}.`, {
      cause,
    })
  }
}

/** Browsers refuse a certificate that is valid for more than 398 days. */
const DAYS = 397
const DAY_MS = 86_400_000

/** Creates a certificate and an authority that signs it, because some clients do not trust self-signed certificates. */
async function makeCertificate(hosts: readonly string[], now: number) {
  const { generate } = await import('selfsigned')
  const common = {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: new Date(now - DAY_MS),
    notAfterDate: new Date(now + DAYS * DAY_MS),
  } as const
  const authority = await generate([{ name: 'commonName', value: 'paysim authority of this start' }], {
    ...common,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, critical: true },
    ],
  })
  const names = new Set(['localhost', '127.0.0.1', '::1', hostname(), ...hosts])
  const server = await generate([{ name: 'commonName', value: 'localhost' }], {
    ...common,
    ca: { key: authority.private, cert: authority.cert },
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: [...names].map((name) =>
          isIP(name) === 0 ? { type: 2, value: name } : { type: 7, ip: name },
        ),
      },
    ],
  })
  return { cert: `${server.cert}\n`, key: server.private, authority: `${authority.cert}\n` }
}
