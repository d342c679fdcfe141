/** Refuses a body with a Content-Encoding (D59). */
import { wrongContentEncoding } from './errors.ts'

/** RFC 9110, 12.5.3: the refusal has Accept-Encoding, which says what is accepted. */
export function requirePlainBody(contentEncoding: string | undefined): void {
  if (!/^(identity)?$/i.test(contentEncoding?.trim() ?? '')) throw wrongContentEncoding()
}
