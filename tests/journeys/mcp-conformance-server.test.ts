import { execFile } from 'node:child_process'
import { createServer, request as forward, type Server } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CONFORMANCE_PROGRAM } from '#tests/clients/programs.ts'
import { agentKeeper } from '#tests/support/agents.ts'
import { findFreePort } from '#tests/support/free-port.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'

/*
 * Runs the conformance suite against /mcp. The suite has no credentials, so a proxy adds them and passes
 * everything else unchanged, including Host and Origin. The file of expected failures lists checks that don't
 * apply, with reasons; the suite fails if one of them passes.
 */

const EXPECTED_FAILURES = 'tests/fixtures/mcp-conformance-server.yml'

let server: TestServer
let proxy: Server
let url: string
beforeAll(async () => {
  const port = await findFreePort()
  server = await startTestServer({ BASE_URL: `http://127.0.0.1:${port}` })
  const { person } = await agentKeeper(server)
  proxy = createServer((request, response) => {
    const headers = { ...request.headers, authorization: `Bearer ${person.token}` }
    const onward = forward(server.url + request.url, { method: request.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    onward.on('error', () => response.destroy())
    request.pipe(onward)
  })
  await new Promise<void>((resolve) => proxy.listen(port, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${port}/mcp`
})
afterAll(async () => {
  proxy.closeAllConnections()
  proxy.close()
  await server.stop()
})

test('the active suite passes except for checks that do not apply', async () => {
  const args = [CONFORMANCE_PROGRAM, 'server', '--url', url, '--expected-failures', EXPECTED_FAILURES]
  const { code, output } = await new Promise<{ code: number; output: string }>((resolve) =>
    execFile(process.execPath, args, { maxBuffer: 16e6 }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code ?? 1) : 0, output: stdout + stderr }),
    ),
  )
  expect(code, output).toBe(0)
  for (const scenario of ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection'])
    expect(output).toMatch(new RegExp(`✓ ${scenario}: \\d+ passed, 0 failed`))
})
