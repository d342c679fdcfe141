/** The version, and where the docs are: both lie one folder above this file, in src and in dist alike. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const { version: VERSION } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
) as { version: string }

export const DOCS = fileURLToPath(new URL('../docs/README.md', import.meta.url))
