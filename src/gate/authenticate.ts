/** §5: the secret key in `x-api-key` says which platform asks. A missing key and a wrong one read the same. */
import { invalidApiKey } from '../contract/errors.ts'

export function authenticate(given: string | undefined, expected: string): void {
  if (given !== expected) throw invalidApiKey()
}
