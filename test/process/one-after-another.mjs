/**
 * Runs command lines of the built command in one process, as a start takes longer than what is asked of most of them. A message
 * is one line: its arguments, variables and folder. The answer is what it printed and its exit code, once nothing of it keeps
 * the process alive.
 */
import { pathToFileURL } from 'node:url'

const [, , command] = process.argv
const own = { ...process.env }
let number = 0
let tell = () => {}

// The alarm that ends a command that failed and hangs. It would ring during a later one.
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
  // From here on only the command keeps the process alive.
  process.channel.unref()
  // The query makes it another module: it is evaluated again.
  number += 1
  await import(`${pathToFileURL(command)}?${number}`)
})
