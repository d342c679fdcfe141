/**
 * package.json and the files next to it. Found in the nearest folder above that has a package.json, because this file runs in src
 * or in dist.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'

const nearestPackage = (folder: URL): URL =>
  existsSync(new URL('package.json', folder)) ? folder : nearestPackage(new URL('../', folder))

export const PACKAGE_ROOT = nearestPackage(new URL('./', import.meta.url))

export const { version: VERSION } = JSON.parse(
  readFileSync(new URL('package.json', PACKAGE_ROOT), 'utf8'),
) as { version: string }

/** The names of the bundled seed data: YAML files, next to staging's test values in JSON. */
export const bundledFixtures = (): string[] =>
  readdirSync(new URL('fixtures/', PACKAGE_ROOT))
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => file.slice(0, -'.yaml'.length))
