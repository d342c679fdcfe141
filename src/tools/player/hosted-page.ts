/** Reads the forms, links and text of an HTML page, as far as filling in forms requires. */
export interface PageForm {
  method: string
  action: string
  /** Hidden fields and prefilled fields. */
  values: Readonly<Record<string, string>>
  /** The names of the editable fields, in page order. */
  fields: readonly string[]
  buttons: readonly string[]
}

export interface PageContent {
  heading: string
  text: string
  /** The error messages at the fields of a rejected form. */
  problems: readonly string[]
  forms: readonly PageForm[]
  links: readonly { text: string; href: string }[]
}

const FILLED_TYPES = ['hidden', 'submit', 'button']

export function readPage(html: string): PageContent {
  const body = /<main\b[^>]*>([\s\S]*?)<\/main>/.exec(html)?.[1] ?? html
  return {
    heading: textOf(/<h1\b[^>]*>([\s\S]*?)<\/h1>/.exec(html)?.[1] ?? ''),
    text: textOf(body),
    problems: [...html.matchAll(/ id="[\w-]+-problem"[^>]*>.*?<span>([\s\S]*?)<\/span>/g)].map(
      ([, text = '']) => textOf(text),
    ),
    forms: [...html.matchAll(/<form\b([^>]*)>([\s\S]*?)<\/form>/g)].map(([, tag = '', inner = '']) =>
      readForm(tag, inner),
    ),
    links: [...html.matchAll(/<a\b([^>]*)>([\s\S]*?)<\/a>/g)].map(([, tag = '', inner = '']) => ({
      text: textOf(inner),
      href: attributes(tag).href ?? '',
    })),
  }
}

function readForm(tag: string, inner: string): PageForm {
  const { method = 'get', action = '' } = attributes(tag)
  const inputs = [...inner.matchAll(/<input\b([^>]*)>/g)].map(([, input = '']) => attributes(input))
  const values: Record<string, string> = {}
  for (const { name, type = 'text', value = '', checked } of inputs) {
    if (name !== undefined && (type !== 'radio' || checked !== undefined)) values[name] = value
  }
  const named = inputs.filter(({ type = 'text' }) => !FILLED_TYPES.includes(type)).map(({ name }) => name)
  return {
    method: method.toUpperCase(),
    action,
    values,
    fields: [...new Set(named.filter((name) => name !== undefined))],
    buttons: [...inner.matchAll(/<button\b[^>]*>([\s\S]*?)<\/button>/g)].map(([, text = '']) => textOf(text)),
  }
}

const attributes = (tag: string): Record<string, string | undefined> =>
  Object.fromEntries(
    [...tag.matchAll(/([\w-]+)(?:="([^"]*)")?/g)].map(([, name = '', value = '']) => [name, decoded(value)]),
  )

/** The visible text: without tags, scripts and repeated spaces. */
const textOf = (html: string): string =>
  decoded(html.replaceAll(/<(script|style|svg)\b[\s\S]*?<\/\1>/g, '').replaceAll(/<[^>]*>/g, ' '))
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ([.,;:!?])/g, '$1')
    .trim()

/** The characters that paysim escapes. */
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

const decoded = (text: string): string =>
  text.replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name]!)
