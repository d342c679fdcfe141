/** What a database begins as: the bytes of another one, its file, or one that is open. A file is copied without passing through memory. */
import { constants, copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { inMemoryForm } from './database.ts'

export interface DatabaseSource {
  bytes(): Buffer
  writeTo(file: string): void
}

export const bytesSource = (bytes: Buffer): DatabaseSource => ({
  bytes: () => bytes,
  writeTo: (file) => writeFileSync(file, bytes),
})

export const fileSource = (path: string): DatabaseSource => ({
  bytes: () => inMemoryForm(readFileSync(path)),
  writeTo: (file) => copyFileSync(path, file, constants.COPYFILE_FICLONE),
})
