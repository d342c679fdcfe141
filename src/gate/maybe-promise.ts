/** What is there at once is handed on at once; only what has to be waited for costs turns of the event loop. */
export type MaybePromise<Value> = Value | Promise<Value>

export const chain = <Value, Next>(
  value: MaybePromise<Value>,
  next: (value: Value) => MaybePromise<Next>,
): MaybePromise<Next> => (value instanceof Promise ? value.then(next) : next(value))
