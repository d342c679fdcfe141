/** What a page shows and no person has written: a value that is not there, an object as text, a placeholder that was not filled in. */
const LEFTOVER = /\bundefined\b|\[object \w+\]|\bNaN\b|Invalid Date|\$\{[^}]*\}/g

/** `written` is what the page quotes, such as a scenario file with its placeholders. */
export const leftovers = (html: string, written = ''): string[] =>
  (html.replaceAll(/<style.*?<\/style>/gs, '').match(LEFTOVER) ?? []).filter(
    (text) => !written.includes(text),
  )
