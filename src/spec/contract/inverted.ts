/** Swaps keys and values: `{ own: 'name' }` becomes `{ name: 'own' }`. */
export const inverted = (words: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(words).map(([name, value]) => [value, name]))
