/**
 * A part of the program that is imported when it is first needed, so that a start does not load it: the pages, or the reader of
 * scenario files with its YAML.
 *
 * Node remembers a failed import and fails the same way ever after. So where the process has too few
 * descriptors left, nothing is imported, and the next request tries again.
 */
import { closeSync, openSync } from 'node:fs'
import { devNull } from 'node:os'
import { onDisk } from '../service/store/storage-failure.ts'

export class LazyPart<Part> {
  readonly #import: () => Promise<Part>
  #loading: Promise<Part> | undefined

  constructor(load: () => Promise<Part>) {
    this.#import = load
  }

  async load(): Promise<Part> {
    if (!this.#loading) {
      onDisk(requireFiles)
      this.#loading = this.#import()
    }
    try {
      return await this.#loading
    } catch (cause) {
      this.#loading = undefined
      throw cause
    }
  }
}

/**
 * More than the largest part, the dashboard, needs (16): Node opens all files that a module imports at once.
 */
const FILES_AT_A_TIME = 24

/** Throws the system's error if the process cannot open that many files now. */
function requireFiles(): void {
  const opened: number[] = []
  try {
    while (opened.length < FILES_AT_A_TIME) opened.push(openSync(devNull, 'r'))
  } finally {
    opened.forEach(closeSync)
  }
}
