/** D59, for everything that reads a body. */
import { wrongContentEncoding } from './errors.ts'

/** RFC 9110, 12.5.3: the refusal says which coding would do. */
export function requirePlainBody(contentEncoding: string | undefined): void {
  if (!/^(identity)?$/i.test(contentEncoding?.trim() ?? '')) throw wrongContentEncoding()
}
