/** Reads seed data, and checks it before a sandbox is made with it. */
import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { Fixture } from '../../spec/options/fixture.ts'
import { UsageError } from '../../spec/options/read.ts'
import { requireShape } from './read-input.ts'

/** Reads a fixture from a file: YAML, of which JSON is a part. The YAML reader is loaded only for it. */
export async function readFixture(file: string): Promise<Fixture> {
  const { parse } = await import('yaml')
  try {
    const fixture = parse(await readFile(file, 'utf8')) ?? {}
    requireFixture(fixture)
    return fixture
  } catch (cause) {
    throw new UsageError(`The fixture ${file} cannot be used: ${reasonOf(cause as NodeJS.ErrnoException)}`)
  }
}

const reasonOf = ({ code, message }: NodeJS.ErrnoException) =>
  code === 'ENOENT' ? 'there is no such file.' : message.trim()

export function requireFixture(given: unknown): void {
  requireShape(z.object({ fixture: Fixture }), { fixture: given })
}
