/** The command, which `dist/main.js` calls. */
export { main } from './tools/commands/command-line.ts'
