/** Follows links from page to page without scripts, and returns every page. */
import type { Address } from '../src/server/simulator/simulator.ts'

export interface LinkedPage {
  path: string
  html: string
}

/** Of pages that differ only by an id or a query value, only the first is visited. */
const kindOf = (path: string) =>
  path.replaceAll(/\b([a-z]+)(_\w+|-\w{24,})/g, '$1_').replaceAll(/=[^&]*/g, '=')

export async function linkedPages({ fetch }: Pick<Address, 'fetch'>, from: string[]): Promise<LinkedPage[]> {
  const pages: LinkedPage[] = []
  const waiting = [...from]
  const seen = new Set(waiting.map(kindOf))
  for (const path of waiting) {
    const answer = await fetch(new Request(`http://localhost:4100${path}`))
    if (answer.status === 303 || !answer.headers.get('content-type')?.startsWith('text/html')) continue
    const html = await answer.text()
    pages.push({ path, html })
    for (const [, link] of html.matchAll(/href="(\/[^"#]*)/g)) {
      const found = link!.replaceAll('&amp;', '&')
      if (seen.has(kindOf(found))) continue
      seen.add(kindOf(found))
      waiting.push(found)
    }
  }
  return pages
}
