/**
 * Escapes a text for XML and HTML. Replaces control characters by U+FFFD: XML 1.0 cannot represent most of
 * them, even escaped.
 */
export const xmlText = (text: string): string =>
  text
    .replace(/[^\P{Cc}\n\t]|[\ufffe\uffff]/gu, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
