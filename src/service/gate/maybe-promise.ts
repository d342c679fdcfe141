/** A value, or a promise of it. A read is answered without a promise, because an `await` at every step takes CPU time. */
export type MaybePromise<Value> = Value | Promise<Value>

export const chain = <Value, Next>(
  value: MaybePromise<Value>,
  next: (value: Value) => MaybePromise<Next>,
): MaybePromise<Next> => (value instanceof Promise ? value.then(next) : next(value))
