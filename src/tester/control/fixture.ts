/** Reads seed data, and checks it before a sandbox is made with it. */
import { existsSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { didYouMean } from '../../spec/contract/suggest.ts'
import { Fixture } from '../../spec/options/fixture.ts'
import { UsageError, WrongOption } from '../../spec/options/read.ts'
import { PACKAGE_ROOT } from '../../spec/package.ts'
import { requireShape } from './read-input.ts'

const BUNDLED = new URL('fixtures/', PACKAGE_ROOT)

/** The names of those that come with paysim: of its seed data, which is YAML, not of staging's values beside it. */
const bundledNames = () =>
  readdirSync(BUNDLED)
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => file.slice(0, -'.yaml'.length))

/** A fixture that comes with paysim, by its name; never a path, so that HTTP cannot read other files. */
export async function readBundledFixture(name: string): Promise<Fixture> {
  const names = bundledNames()
  if (!names.includes(name))
    throw new WrongOption(
      'fixture',
      `must be ${names.join(' or ')}, which comes with paysim, or seed data of your own`,
      name,
      didYouMean(name, names),
    )
  return readSeedFile(fileURLToPath(new URL(`${name}.yaml`, BUNDLED)))
}

/** From a file, or by the name of one that comes with paysim where no file is called so. */
export async function readFixture(fileOrName: string): Promise<Fixture> {
  requireFixtureNamed(fileOrName, 'The fixture')
  return existsSync(fileOrName) ? readSeedFile(fileOrName) : readBundledFixture(fileOrName)
}

/** Refuses what is neither a file nor the name of one that comes with paysim; `source` begins the sentence. */
export function requireFixtureNamed(fileOrName: string, source: string): void {
  const names = bundledNames()
  if (existsSync(fileOrName) || names.includes(fileOrName)) return
  const rule = `must be a file that is there, or ${names.join(' or ')}, which comes with paysim`
  throw new WrongOption(source, rule, fileOrName, didYouMean(fileOrName, names))
}

/** YAML, of which JSON is a part. The YAML reader is loaded only for it. */
async function readSeedFile(file: string): Promise<Fixture> {
  const { parse } = await import('yaml')
  try {
    const fixture = parse(await readFile(file, 'utf8')) ?? {}
    requireFixture(fixture)
    return fixture
  } catch (cause) {
    throw new UsageError(`The fixture ${file} cannot be used: ${(cause as Error).message.trim()}`)
  }
}

export function requireFixture(given: unknown): void {
  requireShape(z.object({ fixture: Fixture }), { fixture: given })
}
