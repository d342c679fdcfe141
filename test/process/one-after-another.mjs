/**
 * Runs many command lines of the built command in one process, as a start takes longer than what is asked of most of them.
 * Reads [arguments, variables][] as JSON, and writes for each what it printed and its exit code.
 */
import { pathToFileURL } from 'node:url'

const [, , command, lines] = process.argv
const print = process.stdout.write.bind(process.stdout)
const told = []
for (const [index, [args, variables]] of JSON.parse(lines).entries()) {
  const said = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'])
    process[stream].write = (text) => {
      said[stream] += text
      return true
    }
  process.stdout.removeAllListeners('error')
  process.exitCode = undefined
  process.argv = [process.execPath, command, ...args]
  Object.assign(process.env, variables)
  // The query makes it another module: it is evaluated again.
  await import(`${pathToFileURL(command)}?${index}`)
  for (const name of Object.keys(variables)) delete process.env[name]
  told.push({ code: process.exitCode ?? 0, ...said })
}
process.exitCode = 0
print(JSON.stringify(told))
