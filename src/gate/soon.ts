/** What is there at once is handed on at once; only what has to be waited for costs turns of the event loop. */
export type Soon<Value> = Value | Promise<Value>

export const after = <Value, Next>(value: Soon<Value>, next: (value: Value) => Soon<Next>): Soon<Next> =>
  value instanceof Promise ? value.then(next) : next(value)
