/**
 * Runs command lines of the built command in one process, because starting Node takes longer than most of them. Each message
 * is one line: its arguments, variables and folder. Once no handle of the command keeps the process alive, it replies with
 * the output and the exit code.
 */
import { pathToFileURL } from 'node:url'

const [, , command] = process.argv
const own = { ...process.env }
let number = 0
let tell = () => {}

// Disable the timer that ends a failed command that hangs, because it would fire during a later command.
process.exit = () => {}
process.on('beforeExit', () => tell())
process.on('message', async ({ args, variables, folder }) => {
  const said = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr']) {
    process[stream].removeAllListeners('error').write = (text) => {
      said[stream] += text
      return true
    }
  }
  for (const signal of ['SIGTERM', 'SIGINT']) process.removeAllListeners(signal)
  process.exitCode = undefined
  process.argv = [process.execPath, command, ...args]
  process.chdir(folder)
  Object.assign(process.env, variables)
  tell = () => {
    tell = () => {}
    for (const name of Object.keys(variables)) delete process.env[name]
    Object.assign(process.env, own)
    process.send({ code: process.exitCode ?? 0, ...said })
    process.exitCode = 0
    process.channel.ref()
  }
  // Now only the command keeps the process alive.
  process.channel.unref()
  // The query makes it a new module, which is evaluated again.
  number += 1
  await import(`${pathToFileURL(command)}?${number}`)
})
