/** Later work as rows: it survives a restart, can be listed, and is run oldest first; among equals, first come. */
import { z } from 'zod'
import { tableColumns } from './columns.ts'
import { LIMIT, type Statements } from './statements.ts'

export const WorkKind = z.enum(['refund.complete', 'webhook.deliver'])
export type WorkKind = z.output<typeof WorkKind>

const NewWork = z.object({ dueAt: z.int(), kind: WorkKind, subject: z.string() })
export const Work = z.object({ seq: z.int(), ...NewWork.shape })
export type Work = z.output<typeof Work>

const IS_DELIVERY = `kind = 'webhook.deliver'`
const IS_OTHER = `kind <> 'webhook.deliver'`

/** `added` is called with the instant of every new piece of work, `changed` whenever there is more or less of it. */
export function agendaStore(db: Statements, added: (dueAt: number) => void, changed: () => void) {
  const columns = tableColumns(Work).list
  const newWork = tableColumns(NewWork)
  const insert = db.prepare<unknown[]>(`INSERT INTO agenda ${newWork.insertion}`)
  const remove = db.prepare<[number]>('DELETE FROM agenda WHERE seq = ?')
  const removeFor = db.prepare<[string, string]>('DELETE FROM agenda WHERE subject = ? AND kind = ?')
  const find = db.prepare<[string, string], Work>(
    `SELECT ${columns} FROM agenda WHERE subject = ? AND kind = ?`,
  )
  const first = db.prepare<[], Work>(
    `SELECT ${columns} FROM agenda WHERE ${IS_OTHER} ORDER BY dueAt, seq LIMIT 1`,
  )
  const deliveries = db.prepare<[number], Work>(
    `SELECT ${columns} FROM agenda WHERE ${IS_DELIVERY} ORDER BY dueAt, seq ${LIMIT}`,
  )
  // Each kind by its index: in one order they would all be sorted to show the first.
  const firstOf = (kind: string) =>
    `SELECT * FROM (SELECT ${columns} FROM agenda WHERE ${kind} ORDER BY dueAt, seq ${LIMIT})`
  const list = db.prepare<[number, number, number], Work>(
    `${firstOf(IS_DELIVERY)} UNION ALL ${firstOf(IS_OTHER)} ORDER BY dueAt, seq ${LIMIT}`,
  )
  const count = db.prepare<[], number>('SELECT count(*) FROM agenda').pluck()

  return {
    insert(dueAt: number, kind: WorkKind, subject: string): void {
      changed()
      insert.run(...newWork.valuesOf({ dueAt, kind, subject }))
      added(dueAt)
    },
    remove(work: Work): void {
      changed()
      remove.run(work.seq)
    },
    removeFor(subject: string, kind: WorkKind): void {
      changed()
      removeFor.run(subject, kind)
    },
    /** The work of a kind that a subject has before it. */
    find: (subject: string, kind: WorkKind): Work | undefined => find.get(subject, kind),
    /** The oldest work that happens in here. */
    first: (): Work | undefined => first.get(),
    /** The oldest deliveries: work that happens outside, several at a time. */
    deliveries: (limit: number): Work[] => deliveries.all(limit),
    list: (limit: number): Work[] => list.all(limit, limit, limit),
    count: (): number => count.get() ?? 0,
  }
}
