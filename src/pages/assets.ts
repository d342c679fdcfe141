/**
 * The files that every page needs. A path has the hash of its content, so a browser may cache the file forever and still gets the
 * file of a new build.
 */
import { createHash } from 'node:crypto'
import gray from 'open-props/gray.min.css?text'
import green from 'open-props/green.min.css?text'
import indigo from 'open-props/indigo.min.css?text'
import red from 'open-props/red.min.css?text'
import shadows from 'open-props/shadows.min.css?text'
import sizes from 'open-props/sizes.min.css?text'
import violet from 'open-props/violet.min.css?text'
import yellow from 'open-props/yellow.min.css?text'
import buyer from './buyer/buyer.css?text'
import pages from './pages.css?text'

/** The Open Props tokens that the styles use. */
const tokens = [gray, indigo, violet, green, yellow, red, sizes, shadows]

export type Asset = { path: string; type: string; body: string }

const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#2b4bc9"/><path d="M8 12.5h16M8 17h16M11 22h5" stroke="#fff" stroke-width="2.5" stroke-linecap="round"/></svg>`

export const stylesheet = asset(
  'pages',
  'css',
  'text/css; charset=utf-8',
  [...tokens, pages, buyer].join('\n'),
)
export const favicon = asset('icon', 'svg', 'image/svg+xml', icon)

export const pageAssets = [stylesheet, favicon]

export const assetHeaders = {
  'Cache-Control': 'public, max-age=31536000, immutable',
  'X-Content-Type-Options': 'nosniff',
}

/** `folder`: the path at which the serving app is mounted. */
export function asset(name: string, extension: string, type: string, body: string, folder = ''): Asset {
  const hash = createHash('sha256').update(body).digest('base64url').slice(0, 10)
  return { path: `${folder}/assets/${name}-${hash}.${extension}`, type, body }
}

export function assetFinder(assets: readonly Asset[]): (path: string) => Asset | undefined {
  const byPath = new Map(assets.map((asset) => [asset.path, asset]))
  return (path) => byPath.get(path)
}
