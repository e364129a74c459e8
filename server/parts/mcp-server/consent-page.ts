import { readFileSync } from 'node:fs'
import { OAUTH_PATHS } from './metadata.ts'

/** Headers of the page. They allow only this server's scripts, styles and connections, and forbid framing. */
export const PAGE_HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
}

export const PAGE_FILES = {
  'page.js': { type: 'text/javascript; charset=utf-8', content: read('page.js') },
  'page.css': { type: 'text/css; charset=utf-8', content: read('page.css') },
}

/** A consent request, as the page shows it. */
export interface ConsentRequest {
  id: string
  clientName: string
  /** Host or app that the browser returns to after the decision. */
  destination: string
}

/** Renders the page where the user signs in, chooses an organization, and allows or denies access. */
export const consentPage = ({ id, clientName, destination }: ConsentRequest): string =>
  page(
    `Connect ${clientName}`,
    `<main data-consent="${escapeHtml(`${OAUTH_PATHS.consent}/${id}`)}">
<h1>Connect <strong>${escapeHtml(clientName)}</strong> to Parley?</h1>
<p>The app can search and read your organization's knowledge bases, ask its agents, and read your saved instructions, with at most your own permissions. Your organization pays for the agents' replies.</p>
<p>The app chose this name itself. After your decision, you return to <strong>${escapeHtml(destination)}</strong>. Continue only if you just started this there.</p>
<form id="sign-in">
<h2>Sign in</h2>
<label for="email">Email</label>
<input id="email" name="email" type="email" autocomplete="username" required maxlength="254">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required maxlength="128">
<button type="submit">Sign in</button>
</form>
<form id="second-factor" hidden>
<h2 id="second-factor-heading" tabindex="-1">Second factor</h2>
<label for="code">Code from your authenticator app, or a recovery code</label>
<input id="code" name="code" autocomplete="one-time-code" required maxlength="40">
<button type="submit">Continue</button>
<button id="passkey" type="button" class="second" hidden>Use a passkey</button>
</form>
<form id="decide" hidden>
<h2 id="decide-heading" tabindex="-1">Choose an organization</h2>
<label for="organization">Organization</label>
<select id="organization" name="organization" required></select>
<button type="submit">Allow</button>
</form>
<p id="problem" role="alert"></p>
<button id="deny" type="button" class="second">Deny</button>
<noscript><p>This page requires JavaScript.</p></noscript>
</main>
<script src="${OAUTH_PATHS.consent}/page.js"></script>`,
  )

/** Renders a page that explains why the request cannot continue. */
export const errorPage = (sentence: string): string =>
  page(
    'This request cannot continue',
    `<main><h1>This request cannot continue</h1><p>${escapeHtml(sentence)}</p><p>Go back to the app that sent you here and start again.</p></main>`,
  )

const page = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
<link rel="stylesheet" href="${OAUTH_PATHS.consent}/page.css">
</head>
<body>
${body}
</body>
</html>
`

function read(name: string): string {
  return readFileSync(new URL(`consent/${name}`, import.meta.url), 'utf8')
}

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
