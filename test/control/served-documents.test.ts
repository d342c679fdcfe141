/** A running paysim serves its readiness, its API documents and its manual. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import manifest from '../../package.json' with { type: 'json' }
import { packageDocuments } from '../../src/server/http/package-documents.ts'
import type { createSimulator } from '../../src/tools/compose.ts'
import { folder } from '../given.ts'
import { newSimulator } from './shop.ts'

function asking(options: Parameters<typeof createSimulator>[0] = {}) {
  const simulator = newSimulator(options)
  return (path: string, init?: RequestInit) => simulator.fetch(new Request(`http://shop.test${path}`, init))
}

test('paysim is ready if its data folder is writable', async () => {
  const data = folder()
  const ask = asking({ data })
  expect(await (await ask('/readyz')).json()).toEqual({ status: 'ready' })
  rmSync(data, { recursive: true })
  const refused = await ask('/readyz')
  expect([refused.status, await refused.json()]).toMatchObject([
    503,
    { message: `${data} was moved or removed: nothing was changed. Retry later` },
  ])
  expect((await ask('/healthz')).status).toBe(200)
  expect((await asking()('/readyz')).status).toBe(200)
})

test.for(['', '/_sim'])(
  'The document %s/openapi is served as YAML, and names the version of paysim',
  async (at) => {
    const ask = asking()
    const yaml = await ask(`${at}/openapi.yaml`)
    expect(yaml.headers.get('content-type')).toBe('application/yaml')
    const json = (await (await ask(`${at}/openapi.json`)).json()) as { info: { version: string } }
    expect(parse(await yaml.text())).toEqual(json)
    expect(json.info.version).toBe(manifest.version)
    const head = await ask(`${at}/openapi.yaml`, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-type')]).toEqual([200, 'application/yaml'])
  },
)

test('The documents are served, and every link in them works', async () => {
  const ask = asking()
  const seen = new Set(['/llms.txt'])
  for (const path of seen) {
    const answer = await ask(path)
    const text = await answer.text()
    expect([path, answer.status]).toEqual([path, 200])
    if (!/\.(md|txt)$|^\/examples\/[^.]*$/.test(path)) continue
    for (const [, link] of text.matchAll(/(?:\]\(|src="|srcset=")(?!https?:|#)([^)#\s"]+)/g)) {
      seen.add(new URL(link!, `http://shop.test${path}`).pathname)
    }
  }
  expect(seen.size).toBeGreaterThan(30)
  expect(await (await ask('/examples/pytest')).text()).toContain(
    '- [paysim.py](/examples/pytest/paysim.py)\n',
  )
})

test('All pages are available as one text, and no other file of the machine can be read', async () => {
  const ask = asking()
  const all = await (await ask('/llms-full.txt')).text()
  expect(all).toContain('<!-- docs/webhooks.md -->')
  for (const path of ['/docs/..%2fpackage.json', '/docs/%2e%2e/package.json', '/docs/nothing.md'])
    expect([path, (await ask(path)).status]).toEqual([path, 404])
  for (const path of ['/llms.txt', '/openapi.json', '/openapi.yaml']) {
    const { status, headers } = await ask(path, { method: 'DELETE' })
    expect([path, status, headers.get('allow')]).toEqual([path, 405, 'GET, HEAD'])
  }
})

test('What tools have left in a folder of the package is not a document', async () => {
  const root = folder()
  for (const path of ['docs', 'fixtures', 'scenarios', 'examples/pytest/.benchmarks', 'examples/.cache'])
    mkdirSync(join(root, path), { recursive: true })
  for (const path of ['examples/pytest/pay.py', 'examples/.cache/README.md'])
    writeFileSync(join(root, path), path)
  const documents = packageDocuments(pathToFileURL(`${root}/`))
  const text = await documents.fetch(new Request('http://shop.test/examples')).text()
  expect(text).toBe('# examples\n\n- [pytest/pay.py](/examples/pytest/pay.py)\n')
})
