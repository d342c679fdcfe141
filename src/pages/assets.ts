/**
 * The files of the pages. A path has the hash of its content, so a browser may cache the file forever and still gets the
 * file of a new build.
 */
import { createHash } from 'node:crypto'
import gray from 'open-props/gray.min.css?text'
import green from 'open-props/green.min.css?text'
import indigo from 'open-props/indigo.min.css?text'
import red from 'open-props/red.min.css?text'
import sizes from 'open-props/sizes.min.css?text'
import violet from 'open-props/violet.min.css?text'
import yellow from 'open-props/yellow.min.css?text'
import buyer from './buyer/buyer.css?text'
import scriptText from './dashboard/browser/main.ts?text'
import controls from './dashboard/styles/controls.css?text'
import frame from './dashboard/styles/frame.css?text'
import lists from './dashboard/styles/lists.css?text'
import parts from './dashboard/styles/parts.css?text'
import timeline from './dashboard/styles/timeline.css?text'
import pages from './pages.css?text'

/** The Open Props tokens that the styles use. */
const tokens = [gray, indigo, violet, green, yellow, red, sizes]

const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#2b4bc9"/><path d="M8 12.5h16M8 17h16M11 22h5" stroke="#fff" stroke-width="2.5" stroke-linecap="round"/></svg>`

function asset(name: string, extension: string, type: string, body: string) {
  const hash = createHash('sha256').update(body).digest('base64url').slice(0, 10)
  return { path: `/assets/${name}-${hash}.${extension}`, type, body }
}

const css = (name: string, ...parts: string[]) =>
  asset(name, 'css', 'text/css; charset=utf-8', parts.join('\n'))

/** For equally specific rules, the later one wins. */
export const stylesheet = css('pages', ...tokens, pages, buyer)
export const dashboardStylesheet = css('dashboard', frame, parts, controls, lists, timeline)
export const script = asset('dashboard', 'js', 'text/javascript; charset=utf-8', scriptText)
export const favicon = asset('icon', 'svg', 'image/svg+xml', icon)

export const findAsset = (path: string) =>
  [stylesheet, dashboardStylesheet, script, favicon].find((asset) => asset.path === path)
