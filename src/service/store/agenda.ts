/** Later work as rows: it survives a restart, can be listed, and runs in order of due time, then of insertion. */
import { z } from 'zod'
import { TIMED_WORK, type TimedWork } from '../../spec/contract/resources/timed.ts'
import { Columns, LIMIT, type Statements } from './statements.ts'

export const WorkKind = z.enum([...TIMED_WORK, 'webhook.deliver'])
export type WorkKind = z.output<typeof WorkKind>

/** Due time of work that does not wait for the clock. It has a row with a time that no clock reaches. */
export const NEVER = Number.MAX_SAFE_INTEGER

const NewWork = z.object({ dueAt: z.int(), kind: WorkKind, subject: z.string() })
export const Work = z.object({ seq: z.int(), ...NewWork.shape })
export type Work = z.output<typeof Work>
/** A timed move of the resource `subject`. */
export type TimedItem = Work & { kind: TimedWork }

// Spelled as in the partial indexes, because SQLite compares the text.
const IS_DELIVERY = `kind = 'webhook.deliver'`
const IS_MOVE = `kind <> 'webhook.deliver'`

const NEW = new Columns<Omit<Work, 'seq'>>(NewWork)
const { list: COLUMNS } = new Columns<Work>(Work)

const INSERT = `INSERT INTO agenda ${NEW.insertion}`
const FIND = `SELECT ${COLUMNS} FROM agenda WHERE subject = ? AND kind = ?`
const FIND_MOVE = `SELECT ${COLUMNS} FROM agenda WHERE subject = ? AND ${IS_MOVE}`
const DELIVERIES = `
  SELECT ${NEW.names.map((name) => `agenda.${name}`).join(', ')}, agenda.seq, belongsTo
  FROM agenda CROSS JOIN deliveries ON deliveries.id = subject CROSS JOIN events ON events.id = eventId
  WHERE ${IS_DELIVERY} AND belongsTo NOT IN (SELECT value FROM json_each(?))
  ORDER BY dueAt, agenda.seq ${LIMIT}`
// Each kind is read by its own index and then merged: one query over both would sort all rows to return the first.
const firstOf = (kind: string) =>
  `SELECT * FROM (SELECT ${COLUMNS} FROM agenda WHERE ${kind} ORDER BY dueAt, seq ${LIMIT})`
const LIST = `${firstOf(IS_DELIVERY)} UNION ALL ${firstOf(IS_MOVE)} ORDER BY dueAt, seq ${LIMIT}`
const dueOf = (kind: string) => `SELECT subject FROM agenda WHERE ${kind} AND dueAt <= ? ORDER BY dueAt, seq`
const countOf = (kind: string) => `(SELECT count(*) FROM agenda WHERE ${kind} AND dueAt <= ?)`
const nextOf = (kind: string) => `SELECT min(dueAt) FROM agenda WHERE ${kind} AND dueAt > ?`

export class AgendaTable {
  readonly #db: Statements
  readonly #added: (dueAt: number) => void

  /** `added` is called with the due time of every new item. */
  constructor(db: Statements, added: (dueAt: number) => void) {
    this.#db = db
    this.#added = added
  }

  insert(dueAt: number, kind: WorkKind, subject: string): void {
    this.#db.run(INSERT, ...NEW.valuesOf({ dueAt, kind, subject }))
    this.#added(dueAt)
  }

  /** Found by subject and kind, which are unique; SQLite reuses the number of a removed last item. */
  remove(subject: string, kind: WorkKind): void {
    this.#db.run('DELETE FROM agenda WHERE subject = ? AND kind = ?', subject, kind)
  }

  /** The item of this kind for the subject. */
  find(subject: string, kind: WorkKind): Work | undefined {
    return this.#db.get(FIND, subject, kind)
  }

  /** The timed move that the resource is waiting for. */
  moveOf(subject: string): TimedItem | undefined {
    return this.#db.get(FIND_MOVE, subject)
  }

  /** The timed move that is due next. */
  firstMove(): TimedItem | undefined {
    return this.#db.get(firstOf(IS_MOVE), 1)
  }

  /** The oldest deliveries, except those of the orders `butOf`. */
  deliveries(limit: number, butOf: readonly string[] = []): (Work & { belongsTo: string })[] {
    return this.#db.all(DELIVERIES, JSON.stringify(butOf), limit)
  }

  dueDeliveries(now: number): string[] {
    return this.#db.values(dueOf(IS_DELIVERY), now)
  }

  dueMoves(now: number): string[] {
    return this.#db.values(dueOf(IS_MOVE), now)
  }

  countDue(now: number): number {
    return this.#db.value<number>(`SELECT ${countOf(IS_DELIVERY)} + ${countOf(IS_MOVE)}`, now, now)!
  }

  /** The earliest due time after `now`. */
  nextAfter(now: number): number | undefined {
    const both = `${nextOf(IS_DELIVERY)} UNION ALL ${nextOf(IS_MOVE)}`
    const times = this.#db.values<number | null>(both, now, now).filter((time) => time !== null)
    return times.length > 0 ? Math.min(...times) : undefined
  }

  list(limit: number): Work[] {
    return this.#db.all(LIST, limit, limit, limit)
  }

  count(): number {
    return this.#db.value('SELECT count(*) FROM agenda') ?? 0
  }
}
