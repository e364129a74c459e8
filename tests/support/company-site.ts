import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The website of a company, on its own origin. */
export interface CompanySite {
  url: string
  /** The HTML that every path returns, and the Content-Security-Policy sent with it. Tests can change both. */
  page: { html: string; policy: string }
  close(): Promise<void>
}

export async function startCompanySite(): Promise<CompanySite> {
  const page = { html: '', policy: '' }
  const server = createServer((_request, response) => {
    response.writeHead(200, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': page.policy,
    })
    response.end(page.html)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    page,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Returns the strictest Content-Security-Policy under which a page can still embed a server's chat. */
export const strictPolicy = (server: string): string =>
  `default-src 'none'; script-src ${server}; frame-src ${server}; require-trusted-types-for 'script'`

/**
 * Returns a page that embeds the widget as documented, with nothing from Parley except script elements in the head.
 */
export const pageWith = (...scripts: string[]): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>A company</title>
${scripts.map((script) => `<script async src="${script}"></script>`).join('\n')}
</head><body><h1>A company</h1><p><a href="#somewhere">Something to focus</a></p></body></html>`
