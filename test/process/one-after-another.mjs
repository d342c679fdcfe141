/**
 * Runs many command lines of the built command in one process, as a start takes longer than what is asked of most of them.
 * Reads [arguments, variables][] as JSON, and writes for each a line of JSON: what it printed and its exit code. The next one
 * begins when nothing of the one before keeps the process alive, so one that does not end is the last.
 */
import { pathToFileURL } from 'node:url'

const [, , command, lines] = process.argv
const write = process.stdout.write.bind(process.stdout)
// The alarm that ends a command that failed and hangs. It would ring during a later one.
process.exit = () => {}
const left = JSON.parse(lines).entries()
let tell = () => {}

process.on('beforeExit', next)

async function next() {
  tell()
  const { done, value } = left.next()
  if (done) return void process.off('beforeExit', next)
  const [index, [args, variables]] = value
  const said = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'])
    process[stream].write = (text) => {
      said[stream] += text
      return true
    }
  process.stdout.removeAllListeners('error')
  for (const signal of ['SIGTERM', 'SIGINT']) process.removeAllListeners(signal)
  process.exitCode = undefined
  process.argv = [process.execPath, command, ...args]
  Object.assign(process.env, variables)
  tell = () => {
    for (const name of Object.keys(variables)) delete process.env[name]
    write(`${JSON.stringify({ code: process.exitCode ?? 0, ...said })}\n`)
    process.exitCode = 0
  }
  // The query makes it another module: it is evaluated again.
  await import(`${pathToFileURL(command)}?${index}`)
}
