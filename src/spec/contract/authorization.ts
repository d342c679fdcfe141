import type { z } from 'zod'
import { authorization } from './resources/authorization.ts'

export { AuthorizationCapture } from './resources/authorization.ts'
export const AuthorizationStatus = authorization.Status
export const Authorization = authorization.Shown
export type Authorization = z.output<typeof Authorization>
export const AuthorizationCreate = authorization.Create
export const AuthorizationQuery = authorization.Query
export const AuthorizationPage = authorization.Page
