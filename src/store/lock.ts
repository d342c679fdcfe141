/** One process at a time on a data folder. The lock is SQLite's own, so it goes with the process, however that ends. */

import { join } from 'node:path'
import { Database } from './sqlite.ts'

export function lockFolder(folder: string): () => void {
  const db = new Database(join(folder, 'paysim.lock'), { timeout: 0 })
  try {
    db.pragma('locking_mode = EXCLUSIVE')
    db.exec('BEGIN EXCLUSIVE')
  } catch (cause) {
    db.close()
    if ((cause as { code?: string }).code !== 'SQLITE_BUSY') throw cause
    throw new Error(`${folder} is in use by another paysim; give each one a folder of its own.`)
  }
  return () => db.close()
}
