interface Bug {
  file: string
  change: string
  /** The only thing that shows the bug. */
  needs?: 'pair' | 'crash' | 'doubt'
  /** Verdicts, separated by |. */
  verdict?: string
  /** A regular expression. */
  reason?: string
}

export const PROGRAMS: Readonly<
  Record<'sale.mjs' | 'sale.py' | 'sale.sh' | 'outbox.py' | 'server.mjs', readonly [string, ...string[]]>
>
export const BUGS: Readonly<Record<string, Bug>>
export function copyPrograms(folder: string, name?: string): void
