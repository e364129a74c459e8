import { afterAll, beforeAll, expect, test } from 'vitest'
import { borrowBrowser, describeInBrowser } from '#tests/support/browser.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

/** /docs shares the console's origin, so a foreign script on it could read the console's tokens. */

let server: TestServer
beforeAll(async () => {
  server = await sharedTestServer()
})
afterAll(() => server.stop())

test('the page forbids foreign scripts, frames and type sniffing', async () => {
  const { headers, text } = await server.call('GET', '/docs/')
  const policy = headers.get('content-security-policy') ?? ''
  const nonce = /script-src 'nonce-([\w-]{22})'(?:;|$)/.exec(policy)?.[1]
  expect(nonce).toBeDefined()
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(policy).toContain("base-uri 'none'")
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('x-frame-options')).toBe('DENY')
  const scripts = [...text.matchAll(/<script([^>]*)>/g)].map(([, attributes]) => attributes)
  expect(scripts.length).toBe(2)
  for (const attributes of scripts) expect(attributes).toContain(`nonce="${nonce}"`)
  const again = await server.call('GET', '/docs/')
  expect(again.text).not.toContain(nonce)
})

test('it has one script, and nothing else is served below /docs', async () => {
  const script = await server.call('GET', '/docs/js/scalar.js')
  expect(script.status).toBe(200)
  expect(script.headers.get('content-type')).toContain('javascript')
  expect(script.headers.get('x-content-type-options')).toBe('nosniff')
  expect((await server.call('GET', '/docs')).headers.get('location')).toBe('/docs/')
  expect((await server.call('GET', '/docs/openapi.json')).status).toBe(404)
})

describeInBrowser('in Chromium', () => {
  test('the explorer shows the operations within its policy, and contacts no other server', async () => {
    const { newContext, giveBack } = await borrowBrowser()
    try {
      const page = await (await newContext()).newPage()
      const violations: string[] = []
      const foreign: string[] = []
      page.on('console', (message) => {
        if (message.text().includes('Content Security Policy')) violations.push(message.text())
      })
      page.on('request', (request) => {
        if (!request.url().startsWith(server.url) && !request.url().startsWith('data:'))
          foreign.push(request.url())
      })
      await page.goto(`${server.url}/docs`)
      await page.getByText('/api/auth/methods').first().waitFor()
      expect(await page.title()).toBe('Parley API')
      const ofVendor = page.getByText(/Ask AI|Generate MCP|^(?:Deploy|Share)$|Powered by|API Client/)
      expect(await ofVendor.filter({ visible: true }).count()).toBe(0)
      expect(await page.locator('a[href*="scalar"]').filter({ visible: true }).count()).toBe(0)
      await page.getByRole('button', { name: 'Parley API' }).click()
      await page.getByText('Parley API v1, in an envelope').first().waitFor()
      expect([violations, foreign]).toEqual([[], []])
    } finally {
      await giveBack()
    }
  })
})
