/** `paysim run`: reads the options and the files, then plays or compares them. */
import { Secrets } from '../../spec/secrets.ts'
import { type PlayOptions, readFiles, readTarget } from './options.ts'
import { playFiles } from './play-files.ts'
import { type ExitCode, type PlayIo, printMistake, type RunSetup } from './run-setup.ts'
import { watchFiles } from './watch.ts'

export async function playCommand(options: PlayOptions, terminal: PlayIo): Promise<ExitCode> {
  const secrets = new Secrets()
  secrets.add(options.apiKey)
  secrets.add(options.adminToken)
  const io: PlayIo = {
    ...terminal,
    out: (line) => terminal.out(secrets.hide(line)),
    err: (line) => terminal.err(secrets.hide(line)),
  }
  try {
    const target = readTarget(options)
    const setup = async (): Promise<RunSetup> => {
      const read = await readFiles(options)
      for (const line of read.unread.flatMap(({ mistakes }) => mistakes)) io.err(line)
      return { ...read, target, options, io, secrets }
    }
    const first = await setup()
    if (options.watch) return await watchFiles(first, setup)
    const code = await (options.compare && target && io.compare
      ? io.compare(first, target)
      : playFiles(first))
    return first.unread.length > 0 ? 2 : code
  } catch (error) {
    const code = printMistake(error, io)
    return options.compare ? 2 : code
  }
}
