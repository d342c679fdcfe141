/**
 * The content of a new database: the bytes of another one, its file, or an open database. A file is copied
 * without reading it into memory.
 */
import { constants, copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { inMemoryForm } from './database.ts'
import { onDisk } from './storage-failure.ts'

export interface DatabaseSource {
  bytes(): Buffer
  writeTo(file: string): void
}

export const bytesSource = (bytes: Buffer): DatabaseSource => ({
  bytes: () => bytes,
  writeTo: (file) => writeFileSync(file, bytes),
})

export const fileSource = (path: string): DatabaseSource => ({
  bytes: () => inMemoryForm(onDisk(() => readFileSync(path))),
  writeTo: (file) => copyFileSync(path, file, constants.COPYFILE_FICLONE),
})
