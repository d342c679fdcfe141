/**
 * The content of a new database: the bytes of another one, its file, or an open database. A file is copied
 * without reading it into memory.
 */
import { constants, copyFileSync, createReadStream, readFileSync, writeFileSync } from 'node:fs'
import { inMemoryForm } from './database.ts'
import { onDisk } from './storage-failure.ts'

export interface DatabaseSource {
  bytes(): Buffer
  /** The bytes, in parts. */
  parts(): AsyncIterable<Uint8Array>
  writeTo(file: string): void
}

export const bytesSource = (bytes: Buffer): DatabaseSource => ({
  bytes: () => bytes,
  parts: () => inParts(bytes),
  writeTo: (file) => writeFileSync(file, bytes),
})

export const fileSource = (path: string): DatabaseSource => ({
  bytes: () => inMemoryForm(onDisk(() => readFileSync(path))),
  parts: () => filesParts(path),
  writeTo: (file) => copyFileSync(path, file, constants.COPYFILE_FICLONE),
})

export async function* inParts(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** Only the first part has the header, which has to be changed. */
async function* filesParts(path: string): AsyncGenerator<Uint8Array> {
  let isFirst = true
  for await (const part of createReadStream(path) as AsyncIterable<Buffer>) {
    yield isFirst ? inMemoryForm(part) : part
    isFirst = false
  }
}
