/** Reads seed data, and checks it before a sandbox is made with it. */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { didYouMean } from '../../spec/contract/suggest.ts'
import { Fixture } from '../../spec/options/fixture.ts'
import { metaOf } from '../../spec/options/option.ts'
import { requireThere, UsageError, WrongOption } from '../../spec/options/read.ts'
import { START_OPTIONS } from '../../spec/options/simulator.ts'
import { bundledFixtures, PACKAGE_ROOT } from '../../spec/package.ts'
import { readTextFile } from '../../spec/text-file.ts'
import { requireShape } from './read-input.ts'

/** A bundled fixture, by name; never a path, so that HTTP cannot read other files. */
export async function readBundledFixture(name: string): Promise<Fixture> {
  const names = bundledFixtures()
  if (!names.includes(name))
    throw new WrongOption(
      'fixture',
      `must be ${names.join(' or ')}, which comes with paysim, or seed data of your own`,
      name,
      didYouMean(name, names),
    )
  return readSeedFile(fileURLToPath(new URL(`fixtures/${name}.yaml`, PACKAGE_ROOT)))
}

/** From a file, or by the name of a bundled fixture if there is no such file. */
export async function readFixture(fileOrName: string): Promise<Fixture> {
  requireThere(metaOf(START_OPTIONS.fixture)!, fileOrName)
  return existsSync(fileOrName) ? readSeedFile(fileOrName) : readBundledFixture(fileOrName)
}

/** YAML, a superset of JSON. The YAML reader is loaded only for it. */
async function readSeedFile(file: string): Promise<Fixture> {
  const { parse } = await import('yaml')
  try {
    const fixture = parse(readTextFile(file)) ?? {}
    requireFixture(fixture)
    return fixture
  } catch (cause) {
    throw new UsageError(`The fixture ${file} cannot be used: ${(cause as Error).message.trim()}`)
  }
}

export function requireFixture(given: unknown): void {
  requireShape(z.object({ fixture: Fixture }), { fixture: given })
}
