/** The headers of a response that a tester sets. */
import { z } from 'zod'
import { TESTER_LIMITS } from '../../spec/contract/limits.ts'

/** RFC 9110, 5.6.2. The length and the framing of the body follow from the body, and Node sends no Trailer with a length. */
export const HeaderName = z
  .string()
  .regex(/^[\w!#$%&'*+.^`|~-]{1,255}$/, 'must be a name that HTTP allows')
  .refine(
    (name) => !/^(content-length|transfer-encoding|trailer)$/i.test(name),
    'cannot be set: it follows from the body',
  )

/** RFC 9110, 5.5: visible characters, spaces and tabs; those from 0x80 on travel as Latin-1. */
export const HeaderValue = z
  .string()
  .max(TESTER_LIMITS.headerChars.max)
  .regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'must be text that HTTP allows in a header')
