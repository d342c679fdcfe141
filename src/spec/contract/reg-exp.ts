/** A regular expression fragment that matches exactly this text. */
export const escapeRegExp = (text: string): string => text.replaceAll(/[.*+?^$()|[\]\\{}]/g, '\\$&')

/** `*` and braces match one segment of a path, or one word of an operation or event; `**` matches the rest. */
export const wildcardRegExp = (pattern: string): string =>
  pattern
    .split(/(\$?\{[^{}]*\}|\*\*|\*)/)
    .map((part, index) => {
      if (index % 2 === 0) return escapeRegExp(part)
      return part === '**' ? '.*' : '[^/]+'
    })
    .join('')
