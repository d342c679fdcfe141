#!/usr/bin/env node
/** Starts the command, from what an earlier start has compiled. */
import { keepCompiled } from './spec/compile-cache.ts'

keepCompiled()
const { main } = await import('./tools/commands/command-line.ts')
await main()
