/** Keeps a command's output in a file: only the beginning and the end, as it may be gigabytes. */
import { once } from 'node:events'
import { closeSync, openSync, writeSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { within } from '../../spec/world/clock.ts'

const BEGINNING_BYTES = 512 * 1024
const END_BYTES = 512 * 1024
const NOTHING = Buffer.alloc(0)
/** How long to read on after the command has ended: a process that it left behind keeps the pipes open. */
const LAST_WORDS_MS = 1_000

export class BoundedOutput {
  readonly #file: number
  readonly #streams: Readable[] = []
  #beginning = 0
  #end = NOTHING
  #leftOut = 0

  constructor(file: string) {
    this.#file = openSync(file, 'w')
  }

  keep(stream: Readable): void {
    this.#streams.push(stream)
    stream.on('data', (chunk: Buffer) => this.#add(chunk))
  }

  /** Called when the command has ended. */
  async close(): Promise<void> {
    const ended = this.#streams.filter(({ closed }) => !closed).map((stream) => once(stream, 'close'))
    await within(LAST_WORDS_MS, Promise.all(ended), undefined)
    for (const stream of this.#streams) stream.destroy()
    if (this.#leftOut > 0) this.#write(Buffer.from(`\n… ${this.#leftOut} bytes are left out here …\n`))
    this.#write(this.#end)
    closeSync(this.#file)
  }

  #add(chunk: Buffer): void {
    const first = chunk.subarray(0, BEGINNING_BYTES - this.#beginning)
    this.#beginning += first.length
    if (first.length > 0) this.#write(first)
    if (first.length === chunk.length) return
    const end = Buffer.concat([this.#end, chunk.subarray(first.length)])
    this.#leftOut += Math.max(0, end.length - END_BYTES)
    this.#end = end.subarray(-END_BYTES)
  }

  /** Ignores a full disk: the run is judged without its output. */
  #write(bytes: Buffer): void {
    try {
      writeSync(this.#file, bytes)
    } catch {
      this.#end = NOTHING
    }
  }
}
