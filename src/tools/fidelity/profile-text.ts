/** Profile keys as YAML, as printed by `paysim profile` and written by `paysim fidelity`. */
import { stringify } from 'yaml'

/** Keys as lines of YAML with their comments, in the order of a profile. */
export function keyLines(
  keys: readonly { path: readonly string[]; value: unknown; comment: string }[],
): string {
  const lines: string[] = []
  let open: readonly string[] = []
  for (const { path, value, comment } of keys) {
    const sections = path.slice(0, -1)
    const firstNew = sections.findIndex((name, depth) => open[depth] !== name)
    for (let depth = firstNew === -1 ? sections.length : firstNew; depth < sections.length; depth += 1)
      lines.push(`${'  '.repeat(depth)}${sections[depth]}:`)
    open = sections
    lines.push(`${'  '.repeat(sections.length)}${path.at(-1)}: ${written(value)}  # ${comment}`)
  }
  return lines.join('\n')
}

export const written = (value: unknown): string =>
  stringify(value, { collectionStyle: 'flow', lineWidth: 0, flowCollectionPadding: false }).trimEnd()
