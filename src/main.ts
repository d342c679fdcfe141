#!/usr/bin/env node
/** The command. */
import { main } from './tools/commands/command-line.ts'

await main()
