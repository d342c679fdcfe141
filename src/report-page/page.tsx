import type { FileResult } from '../player/result.ts'

export const reportPage = (results: readonly FileResult[]): string => String(results.length)
