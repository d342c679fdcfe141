#!/usr/bin/env node
/** The command. What serving does not need is loaded when it is asked for. */
import { Command, CommanderError, Option as Flag } from 'commander'
import {
  LISTEN_OPTIONS,
  type Option,
  SANDBOX_OPTIONS,
  SIMULATOR_OPTIONS,
  VERSION,
  WrongOption,
} from './config.ts'

const START_OPTIONS: Record<string, Option<unknown>> = {
  ...LISTEN_OPTIONS,
  ...SANDBOX_OPTIONS,
  ...SIMULATOR_OPTIONS,
}

const FAILED = 1
const WRONGLY_USED = 2

/** Flags win over the environment; either is read by the option itself, and a wrong one is named as it was given. */
function readStart(flags: Record<string, unknown>): Record<string, unknown> {
  const given = Object.entries(START_OPTIONS).flatMap(([name, option]) => {
    const fromFlag = flags[name]
    const fromEnvironment = process.env[option.env]
    if (fromFlag !== undefined) return [[name, option.read(fromFlag, option.flag)]]
    if (fromEnvironment !== undefined) return [[name, option.read(fromEnvironment, option.env)]]
    return []
  })
  return Object.fromEntries(given)
}

function flagOf(name: string, { flag, placeholder, env, help, shown, list }: Option<unknown>): Flag {
  const made = new Flag(
    placeholder ? `${flag} <${placeholder}>` : flag,
    `${help} (${shown ? `${shown}; ` : ''}${env})`,
  )
  made.attributeName = () => name
  if (list) made.argParser((value: string, earlier: string[] = []) => [...earlier, value])
  return made
}

function createProgram(): Command {
  const program = new Command('paysim')
    .description("A payments service's staging environment on your own machine.")
    .version(VERSION)

  const start = program.command('start').description('serve until told to stop')
  for (const [name, option] of Object.entries(START_OPTIONS)) start.addOption(flagOf(name, option))
  start.action(async (flags) => {
    const options = readStart(flags)
    const { serve } = await import('./serve.ts')
    await serve(options)
  })

  for (const command of [program, ...program.commands]) {
    command
      .exitOverride()
      .configureOutput({ outputError: () => {} })
      .showSuggestionAfterError()
  }
  return program
}

async function main(): Promise<void> {
  try {
    await createProgram().parseAsync()
  } catch (cause) {
    if (cause instanceof CommanderError && cause.exitCode === 0) return
    const message = cause instanceof Error ? cause.message : String(cause)
    process.stderr.write(`${sentence(message)}\n`)
    process.exitCode = cause instanceof CommanderError || cause instanceof WrongOption ? WRONGLY_USED : FAILED
  }
}

/** Commander begins in small letters, with a word that the exit code says already, and tells its suggestion on a second line. */
const sentence = (message: string) =>
  message.replace(/^error: (.)/, (_, first: string) => first.toUpperCase())

await main()
