/** Reads a fixture from a file: YAML, of which JSON is a part. */
import { readFile } from 'node:fs/promises'
import { parse } from 'yaml'
import { UsageError } from '../config.ts'
import { type Fixture, requireFixture } from './fixture.ts'

export async function readFixture(file: string): Promise<Fixture> {
  try {
    const fixture = parse(await readFile(file, 'utf8')) ?? {}
    requireFixture(fixture)
    return fixture
  } catch (cause) {
    throw new UsageError(`The fixture ${file} cannot be used: ${reason(cause as NodeJS.ErrnoException)}`)
  }
}

const reason = ({ code, message }: NodeJS.ErrnoException) =>
  code === 'ENOENT' ? 'there is no such file.' : message.trim()
