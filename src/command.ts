/** What is started by its file's name. The rest has names with a hash, which src/compile-cache.ts needs. */
export const runCommand = async (): Promise<void> => (await import('./command-line.ts')).main()

export const runThread = async (): Promise<void> =>
  (await import('./simulator-in-thread.ts')).serveFromThread()
