import { randomBytes } from 'node:crypto'

/** The prefix and eight random hexadecimal digits, so that names made by several processes differ. */
export const uniqueName = (prefix: string): string => `${prefix}${randomBytes(4).toString('hex')}`
