#!/usr/bin/env node
/** Starts the command, from what an earlier start has compiled. */
import { createRequire } from 'node:module'
import { keepCompiled } from './compile-cache.ts'

keepCompiled(/^[a-z]+$/.exec(process.argv[2] ?? '')?.[0] ?? 'help')
const { runCommand } = createRequire(import.meta.url)('./command.cjs') as typeof import('./command.ts')
await runCommand()
