/** The table of docs/profile-keys.md. A section with interchangeable keys, such as the fields of a checkout, is one row. */
import { PROFILE_KEYS, type ProfileKey } from '../../src/spec/contract/profile.ts'
import type { Parts, SectionDefinition } from '../../src/spec/contract/profile-key.ts'
import { PROFILE_TABLE } from '../../src/spec/contract/profile-table.ts'
import { groupBy } from '../../src/spec/grouping.ts'
import { table } from './table.ts'

const nameOf = ({ path }: ProfileKey) => path.at(-1)!
const sectionOf = ({ path }: ProfileKey) => path.slice(0, -1).join('.')
const code = (value: unknown) => `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``

export function profileKeys(): string {
  const sections = [...new Set(PROFILE_KEYS.map(sectionOf))]
  const rows = sections.flatMap((section) => {
    const keys = PROFILE_KEYS.filter((key) => sectionOf(key) === section)
    const areNamed = keys.every((key) => key.fallback === nameOf(key))
    const areEqual = keys.every(
      ({ fallback }) => JSON.stringify(fallback) === JSON.stringify(keys[0]!.fallback),
    )
    const isOne = keys.length > 1 && (areNamed || areEqual)
    if (!isOne) return keys.map((key) => row(key.key, code(key.fallback), key))
    const names = keys.map((key) => code(nameOf(key))).join(', ')
    return [
      row(
        `${section}.*`,
        areNamed ? names : `${code(keys[0]!.fallback)} for ${names}`,
        keys[0]!,
        helpOf(section),
        learnedText(keys),
      ),
    ]
  })
  return table(['Key', 'Default', '', 'Decision', 'Learned'], rows)
}

/** The text of a section, such as `ids.prefixes`. */
function helpOf(path: string): string {
  let [found, parts]: [string, Parts] = ['', PROFILE_TABLE]
  for (const name of path.split('.')) {
    const section = parts[name] as SectionDefinition<Parts>
    ;[found, parts] = [section.help, section.parts]
  }
  return found
}

const LEARNED = { tour: 'by the tour', sometimes: 'sometimes', never: 'never' }

/** The keys are named if they are not learned alike. */
function learnedText(keys: readonly ProfileKey[]): string {
  const groups = [...groupBy(keys, ({ learned }) => LEARNED[learned])]
  if (groups.length === 1) return groups[0]![0]
  return groups
    .map(([text, group]) => `${text}: ${group.map((key) => code(nameOf(key))).join(', ')}`)
    .join('; ')
}

const row = (
  key: string,
  fallback: string,
  about: ProfileKey,
  text = about.help,
  learned = learnedText([about]),
) => [`\`${key}\``, fallback, text, about.decision, learned]
