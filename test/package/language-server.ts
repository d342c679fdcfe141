/** The compiler's language server, from which editors get completions and comments. */
import { spawn } from 'node:child_process'
import { pathToFileURL } from 'node:url'

export interface Offered {
  name: string
  /** Empty without a comment. */
  comment: string
}

interface Message {
  id?: number
  method?: string
  params?: { items?: unknown[] }
  result?: unknown
}

interface CompletionItem {
  label: string
  documentation?: string | { value: string }
}

export async function startLanguageServer(command: string, folder: string) {
  const child = spawn(command, ['--lsp', '--stdio'], { cwd: folder, stdio: ['pipe', 'pipe', 'ignore'] })
  // The pipe breaks if the process is stopped while a request is being written.
  child.stdin.on('error', () => {})
  const answers = new Map<number, (result: unknown) => void>()
  let received = Buffer.alloc(0)

  const send = (message: object) => {
    const text = JSON.stringify({ jsonrpc: '2.0', ...message })
    child.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
  }
  let asked = 0
  const ask = (method: string, params: object) =>
    new Promise<unknown>((resolve) => {
      asked += 1
      answers.set(asked, resolve)
      send({ id: asked, method, params })
    })
  const take = ({ id, method, params, result }: Message) => {
    if (id === undefined) return
    // The server asks for its settings; null selects its defaults.
    if (method !== undefined) send({ id, result: params?.items?.map(() => null) ?? null })
    else answers.get(id)?.(result)
  }
  child.stdout.on('data', (bytes: Buffer) => {
    received = Buffer.concat([received, bytes])
    for (;;) {
      const start = received.indexOf('\r\n\r\n') + 4
      const length = Number(/Content-Length: (\d+)/i.exec(received.toString('latin1', 0, start))?.[1])
      if (start < 4 || received.length < start + length) return
      take(JSON.parse(received.toString('utf8', start, start + length)) as Message)
      received = received.subarray(start + length)
    }
  })

  const completionItem = { documentationFormat: ['plaintext'] }
  await ask('initialize', {
    processId: process.pid,
    rootUri: String(pathToFileURL(folder)),
    capabilities: { textDocument: { completion: { completionItem } } },
  })
  send({ method: 'initialized', params: {} })

  const at = (file: string, line: number, character: number) => ({
    textDocument: { uri: String(pathToFileURL(file)) },
    position: { line, character },
  })
  return {
    stop: () => void child.kill(),
    complete: (file: string, line: number, character: number) =>
      ask('textDocument/completion', at(file, line, character)) as Promise<{
        items: CompletionItem[]
      } | null>,
    hover: (file: string, line: number, character: number) =>
      ask('textDocument/hover', at(file, line, character)) as Promise<{ contents: unknown } | null>,
    open: (file: string, text: string) =>
      send({
        method: 'textDocument/didOpen',
        params: {
          textDocument: { uri: String(pathToFileURL(file)), languageId: 'typescript', version: 1, text },
        },
      }),
    /** The completions at a position, each with its comment. */
    async offeredAt(file: string, line: number, character: number): Promise<Offered[]> {
      const list = await this.complete(file, line, character)
      const offered: Offered[] = []
      for (const item of list?.items ?? []) {
        const { documentation = '' } = (await ask('completionItem/resolve', item)) as CompletionItem
        offered.push({
          name: item.label.replace(/\?$/, ''),
          comment: typeof documentation === 'string' ? documentation : documentation.value,
        })
      }
      return offered
    },
  }
}
