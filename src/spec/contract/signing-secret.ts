/** D36: the secret that signs webhooks, as Standard Webhooks writes it. */

const SECRET = /^whsec_([A-Za-z0-9+/]+={0,2})$/

/** Its bytes; undefined if the text is not a secret. */
export function signingKey(secret: string): Buffer | undefined {
  const encoded = SECRET.exec(secret)?.[1]
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64')
}

export function isSigningSecret(secret: string): boolean {
  const bytes = signingKey(secret)?.length ?? 0
  return bytes >= 24 && bytes <= 64
}
