/**
 * Lets only one process use a data folder. The lock is one of SQLite's, which the system releases when the
 * process ends in any way. If the lock's file is removed, the locks of the sandboxes' databases still stop a
 * second process.
 */
import { join } from 'node:path'
import { Database } from './sqlite.ts'

export function lockFolder(folder: string): () => void {
  const file = join(folder, 'paysim.lock')
  let db: Database | undefined
  try {
    db = new Database(file, { timeout: 0 })
    db.pragma('locking_mode = EXCLUSIVE')
    db.exec('BEGIN EXCLUSIVE')
    return db.close.bind(db)
  } catch (cause) {
    db?.close()
    if (isHeld(cause)) throw folderInUse(folder)
    if (hasCode(cause, 'SQLITE_NOTADB'))
      throw new Error(`${file} is not the lock file of a paysim; remove it and start again.`)
    throw new Error(`${file} cannot be locked; --data needs a folder whose files this user can write to.`)
  }
}

export const isHeld = (cause: unknown): boolean => hasCode(cause, 'SQLITE_BUSY')

const hasCode = (cause: unknown, code: string) => (cause as { code?: string }).code === code

export const folderInUse = (folder: string) =>
  new Error(`${folder} is in use by another paysim; give each one a folder of its own.`)
