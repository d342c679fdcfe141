/** Text that a page shows by mistake: undefined, [object Object], or a placeholder without its value. */
const LEFTOVER = /\bundefined\b|\[object \w+\]|\bNaN\b|Invalid Date|\$\{[^}]*\}/g

/** `written`: text that the page quotes, such as a scenario file with its placeholders. */
export const leftovers = (html: string, written = ''): string[] =>
  (html.replaceAll(/<style.*?<\/style>/gs, '').match(LEFTOVER) ?? []).filter(
    (text) => !written.includes(text),
  )
