import type { Config } from '#config'

/** Interval, in seconds, at which the browser reloads the page that is shown during a build. */
export const RELOAD_SECONDS = 3
/** Approximate duration of a build on two idle cores, shown to the user. */
const BUILD_SECONDS = 10
const FEATURES = 'camera=(), geolocation=(), microphone=(self), payment=(), usb=()'

/** Returns the headers of a console page. `policy` is unique to each response, because it contains the nonce. */
export const pageHeaders = (policy: string): Record<string, string> => ({
  'Content-Security-Policy': policy,
  'Cross-Origin-Opener-Policy': 'same-origin-allow-popups',
  'Permissions-Policy': FEATURES,
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  Vary: 'Accept',
})

/**
 * Returns the console's Content-Security-Policy. The console may load its own scripts, styles, fonts and manifest, connect to its own
 * server, show media from file storage, and embed a preview of the widget. No page may embed the console.
 */
export function consolePolicy({ baseUrl, s3 }: Pick<Config, 'baseUrl' | 's3'>, nonce: string): string {
  const { host, protocol } = new URL(baseUrl)
  const media = ["'self' data: blob:", ...(s3 ? [new URL(s3.endpoint).origin] : [])].join(' ')
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    `img-src ${media}`,
    `media-src ${media}`,
    "font-src 'self'",
    "manifest-src 'self'",
    // 'self' doesn't include WebSockets in browsers released before 2022.
    `connect-src 'self' ${protocol === 'https:' ? 'wss' : 'ws'}://${host}`,
    "frame-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "object-src 'none'",
  ].join('; ')
}

/**
 * Returns the Content-Security-Policy of the pages shown while the console is unavailable. They may use only their
 * own style.
 */
export const noticePolicy = (nonce: string): string =>
  `default-src 'none'; style-src 'nonce-${nonce}'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`

/** Builds the page shown during a build. It reloads until the console is ready. */
export const buildingPage = (nonce: string): string =>
  page(
    nonce,
    `<meta http-equiv="refresh" content="${RELOAD_SECONDS}">
<title>Building the console</title>`,
    `<h1>Building the console</h1>
<p>Parley is running and builds its console once after each update. This takes about ${BUILD_SECONDS} seconds. This page reloads automatically.</p>
<p>The API is already available: <a href="/docs">API reference</a>.</p>`,
  )

/** Builds a page that explains why the console is missing and what the operator can do. */
export const missingPage = (nonce: string, reason: string): string =>
  page(
    nonce,
    '<title>Console missing</title>',
    `<h1>The console is missing</h1>
<p><code>${escapeHtml(reason)}</code></p>
<p>Parley is running, but its console is not built. Run <code>npm run console</code> in Parley's folder, then reload this page. The server needs no restart.</p>
<p>The API is available: <a href="/docs">API reference</a>.</p>`,
  )

const page = (nonce: string, head: string, body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
${head}
<style nonce="${nonce}">
:root { color-scheme: light dark }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; font: 16px/1.5 system-ui, sans-serif }
main { max-width: 36rem; padding: 1.5rem; overflow-wrap: anywhere }
h1 { font-size: 1.375rem; line-height: 1.3 }
</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
