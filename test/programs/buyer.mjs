// The tests of server.mjs: they order an item, and wait until it is paid and its deposit is refunded.
const shop = `http://127.0.0.1:${process.env.PAYSIM_WEBHOOK_PORT}`
const deadline = Date.now() + 25_000

async function until(method, isDone) {
  while (Date.now() < deadline) {
    // A buyer with a broken connection submits the form again.
    const order = await fetch(`${shop}/order-1`, { method }).then(
      (response) => response.json(),
      () => ({}),
    )
    if (isDone(order)) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  console.error(`Error: the order is not as it should be after ${method}`)
  process.exit(1)
}

await until('POST', ({ amount }) => amount === 100)
await until('GET', ({ paid, refunded }) => paid && refunded)
