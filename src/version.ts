/** The version in package.json, which lies one folder above this file in src and in dist alike. */
import { readFileSync } from 'node:fs'

export const { version: VERSION } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
) as { version: string }
