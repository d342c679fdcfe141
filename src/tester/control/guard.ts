/**
 * Which requests may reach `/_sim`: those with the admin token, if one is set, and none from another site's page. A browser sends
 * `Origin` with a page's requests, so one with a foreign origin is refused. With DNS rebinding an attacker points their own name
 * at this machine, and `Origin` and `Host` then agree. `Host` must therefore be a name that cannot be registered (an IP address,
 * localhost) or the host of `--public-url`.
 */

import { timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import { missingToken, notYourPlace, tooManyTokens } from '../../spec/contract/errors.ts'
import { shortened } from '../../spec/contract/shortened.ts'
import { isHttpUrl } from '../../spec/contract/wire.ts'
import { type AppEnv, socketHost } from '../../spec/node-http.ts'
import type { TokenGuesses } from './token-guesses.ts'

export interface Guard {
  adminToken: string | undefined
  /** The counter of wrong tokens, shared by `/_sim` and the dashboard's log-in. */
  guesses: TokenGuesses
  /** The value of `--public-url`. */
  publicUrl: string | undefined
}

/** Throws unless the request is allowed; `linkMay` lets a link on another site lead to it. */
export function requireTester(
  { headers, url }: Request,
  bindings: object | undefined,
  { publicUrl }: Pick<Guard, 'publicUrl'>,
  { linkMay = false } = {},
): void {
  const header = (name: string) => headers.get(name) ?? undefined
  const publicAddress = publicUrl === undefined ? undefined : new URL(publicUrl)
  const isEmbedded = incomingOf(bindings) === undefined
  // For `fetch` of an embedded simulator, only a Host header names the host. On a socket the URL does: HTTP/2 sends no Host, and
  // a whole URL in the request line takes precedence over it.
  const urlHost = new URL(url).host
  const sent = header('host')
  const host = isEmbedded ? (sent ?? urlHost) : urlHost
  for (const name of isEmbedded ? [sent] : [urlHost, sent])
    if (name !== undefined && name !== publicAddress?.host && !isOwnName(name))
      throw notYourPlace(`${shortened(name)} is not a name of this simulator; --public-url makes it one`)
  const origin = header('origin')
  if (origin !== undefined && origin !== publicAddress?.origin && hostOf(origin) !== host) {
    throw notYourPlace(`A page of ${shortened(origin)} cannot steer this simulator`)
  }
  // A browser omits Origin from some requests, such as for an image, but reports that another site's page sent it.
  if (header('sec-fetch-site') === 'cross-site' && !linkMay) {
    throw notYourPlace('A page of another site cannot steer this simulator')
  }
}

/** Throws unless the request has the admin token, if there is one. */
export function requireToken(request: Request, bindings: object | undefined, guard: Guard): void {
  if (guard.adminToken === undefined) return
  const given = request.headers.get('authorization')
  if (given === null) throw missingToken()
  const isRight = isSame(given, `Bearer ${guard.adminToken}`)
  const client = guard.guesses.clientOf(request, bindings)
  const seconds = guard.guesses.waitSeconds(client, given, isRight)
  if (seconds > 0) throw tooManyTokens(seconds)
  if (!isRight) throw missingToken()
}

const incomingOf = (bindings: AppEnv['Bindings'] | undefined) => bindings?.incoming

function isOwnName(host: string): boolean {
  const name = host.replace(/:\d+$/, '').toLowerCase()
  return name === 'localhost' || name.endsWith('.localhost') || isIP(socketHost(name)) !== 0
}

/** The host of a web page's Origin; undefined for another scheme, such as an extension's. */
const hostOf = (origin: string): string | undefined => (isHttpUrl(origin) ? new URL(origin).host : undefined)

/** Compares in constant time, so that the duration reveals nothing about the token. */
export function isSame(given: string, expected: string): boolean {
  const [givenBytes, expectedBytes] = [Buffer.from(given), Buffer.from(expected)]
  return givenBytes.length === expectedBytes.length && timingSafeEqual(givenBytes, expectedBytes)
}
