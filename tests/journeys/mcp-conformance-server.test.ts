import { execFile } from 'node:child_process'
import { createServer, request as forward, type Server } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CONFORMANCE_PROGRAM } from '#tests/clients/programs.ts'
import { agentKeeper } from '#tests/support/agents.ts'
import { findFreePort } from '#tests/support/free-port.ts'
import { librarian, textSource } from '#tests/support/knowledge.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'

/*
 * Runs every scenario of the conformance suite against /mcp, at the wire of each protocol revision. The suite has no
 * credentials, so a proxy adds them and passes everything else unchanged, including Host and Origin. A file for each
 * revision lists the checks that don't apply, with reasons; the suite fails if one of them passes.
 */

/** Scenarios that concern features of /mcp, and pass whole. */
const PASSED = {
  '2025-11-25': [
    'server-initialize',
    'server-session-lifecycle',
    'ping',
    'tools-list',
    'server-sse-multiple-streams',
    'resources-list',
    'prompts-list',
    'prompts-get-simple',
    'dns-rebinding-protection',
  ],
  '2026-07-28': [
    'tools-list',
    'server-sse-multiple-streams',
    'resources-list',
    'sep-2164-resource-not-found',
    'prompts-list',
    'prompts-get-simple',
    'dns-rebinding-protection',
    'caching',
    'http-header-validation',
  ],
}

let server: TestServer
let proxy: Server
let url: string
beforeAll(async () => {
  const port = await findFreePort()
  server = await startTestServer({ BASE_URL: `http://127.0.0.1:${port}` })
  const { person } = await agentKeeper(server)
  const shelf = librarian(server, person)
  await shelf.settle(await shelf.create({ sources: [textSource('Document')] }))
  // The scenario prompts-get-simple gets a prompt of this name.
  await server.call('POST', `/api/instructions/create?org_id=${person.organizationId}`, {
    token: person.token,
    body: { name: 'test_simple_prompt', content: 'Answer in at most three sentences.' },
  })
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

test.each(Object.entries(PASSED))(
  'all scenarios of %s pass except for checks that do not apply',
  async (revision, passed) => {
    const expected = `tests/fixtures/mcp-conformance-server-${revision}.yml`
    const options = ['--suite', 'all', '--spec-version', revision, '--expected-failures', expected]
    const args = [CONFORMANCE_PROGRAM, 'server', '--url', url, ...options]
    const { code, output } = await new Promise<{ code: number; output: string }>((resolve) =>
      execFile(process.execPath, args, { maxBuffer: 64e6 }, (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code ?? 1) : 0, output: stdout + stderr }),
      ),
    )
    expect(code, output).toBe(0)
    for (const scenario of passed) expect(output).toMatch(new RegExp(`✓ ${scenario}: \\d+ passed, 0 failed`))
  },
  120_000,
)
