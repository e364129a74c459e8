import { beforeAll, expect, test } from 'vitest'
import { EARLIER_ADDRESSES } from '#platform/http/earlier-addresses.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

let server: TestServer
let listed: Set<string>
beforeAll(async () => {
  server = await sharedTestServer()
  const { body } = await server.call('GET', '/openapi.json')
  const paths = Object.entries<Record<string, unknown>>(body.paths)
  listed = new Set(
    paths.flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    ),
  )
})

test.each(Object.entries(EARLIER_ADDRESSES))(
  '%s answers like %s, with its query',
  async (earlier, present) => {
    const [method = '', address = ''] = earlier.split(' ')
    expect(listed).toContain(`${method} ${present}`)
    expect(listed).not.toContain(earlier)
    for (const under of ['/api', '/v1']) {
      const send = (path: string) => server.call(method, `${path.replace('/api', under)}?limit=x`)
      const [first, second] = [await send(address), await send(present)]
      expect(first.status).toBe(second.status)
      expect(first.text.replaceAll(/"request_id":"[^"]+"/g, '')).toBe(
        second.text.replaceAll(/"request_id":"[^"]+"/g, ''),
      )
      expect(first.text).not.toContain('request.not_found')
    }
  },
)
