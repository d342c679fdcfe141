/** The first signal asks to stop; a second one does not wait. */
export function stopSignal(): AbortSignal {
  const asked = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      process.once(signal, () => process.exit(1))
      asked.abort()
    })
  }
  return asked.signal
}
