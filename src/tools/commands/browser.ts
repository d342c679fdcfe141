/** The command by which each system opens an address in the browser of its user. */
import { spawn } from 'node:child_process'

const OPENERS: Partial<Record<NodeJS.Platform, readonly [command: string, ...args: string[]]>> = {
  darwin: ['open'],
  // `start` is a word of the shell; its first argument in quotes is the title of a window.
  win32: ['cmd', '/c', 'start', '""'],
}

/** A machine without a browser, such as a server, opens nothing and says nothing. */
export function openInBrowser(url: string): void {
  const [command, ...args] = OPENERS[process.platform] ?? ['xdg-open']
  // A browser outlives paysim, and its lines are not ours.
  const opener = spawn(command, [...args, url], { detached: true, stdio: 'ignore', windowsHide: true })
  opener.on('error', () => {})
  opener.unref()
}
