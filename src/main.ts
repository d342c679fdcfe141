#!/usr/bin/env node
/** Starts the command with Node's compile cache, where the Node has one (22.1): the next start compiles nothing. */
import module from 'node:module'

// The types are those of Node 20, which has none.
const { enableCompileCache } = module as { enableCompileCache?: () => unknown }
enableCompileCache?.()
const { main } = await import('./command-line.ts')
await main()
