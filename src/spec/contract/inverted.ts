/** The names by their values. */
export const inverted = (words: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(words).map(([name, value]) => [value, name]))
