/** The addresses of the payments service and of the shop's webhooks. The defaults are those of `paysim start`. */
const {
  PAYSIM_URL = 'http://127.0.0.1:4100',
  PAYSIM_API_KEY = 'sk_staging_default',
  PAYSIM_WEBHOOK_SECRET = 'whsec_cGF5c2ltLXN0YWdpbmctc2lnbmluZy1zZWNyZXQtMDE=',
  PAYSIM_WEBHOOK_URL = 'http://127.0.0.1:4200/webhooks',
} = process.env

export const environment = {
  url: PAYSIM_URL,
  apiKey: PAYSIM_API_KEY,
  secret: PAYSIM_WEBHOOK_SECRET,
  port: Number(new URL(PAYSIM_WEBHOOK_URL).port),
}
