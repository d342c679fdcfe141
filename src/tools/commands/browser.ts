/** The command by which each system opens an address in the browser of its user. */
import { spawn } from 'node:child_process'

const OPENERS: Partial<Record<NodeJS.Platform, readonly [command: string, ...args: string[]]>> = {
  darwin: ['open'],
  // `start` is a command of the shell; its first quoted argument is the title of a window.
  win32: ['cmd', '/c', 'start', '""'],
}

/** Opens an address; on a machine without a browser, such as a server, it does nothing. */
export function openInBrowser(url: string): void {
  const [command, ...args] = OPENERS[process.platform] ?? ['xdg-open']
  // Detached and without output: the browser outlives paysim.
  const opener = spawn(command, [...args, url], { detached: true, stdio: 'ignore', windowsHide: true })
  opener.on('error', () => {})
  opener.unref()
}
