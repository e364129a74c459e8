import { McpAuthorizer, type StoredGrant } from '#platform/mcp/authorization.ts'
import { McpConnections } from '#platform/mcp/connection.ts'
import { McpError } from '#platform/mcp/mcp-error.ts'
import { widenScope } from '#platform/mcp/scopes.ts'
import { createNet } from '#platform/net/index.ts'
import { createLog } from '#platform/telemetry/log.ts'

/*
 * The client for the authorization scenarios of the MCP conformance suite. The last argument is the server's URL.
 * MCP_CONFORMANCE_CONTEXT contains a preregistered client, if any. Exits with 0 after calling every tool of the
 * server.
 */

/** The suite requires these values. */
const REDIRECT_URI = 'http://localhost:3000/callback'
const DOCUMENT_URL = 'https://conformance-test.local/client-metadata.json'
const SCENARIO_TIMEOUT_MS = 100_000
const AUTHORIZATIONS_MAX = 3

const url = process.argv.at(-1) ?? ''
const context = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as {
  client_id?: string
  client_secret?: string
}
const signal = AbortSignal.timeout(SCENARIO_TIMEOUT_MS)
const net = createNet({ allowPrivateNetwork: ['127.0.0.0/8', '::1/128'] })
const connections = new McpConnections(net, createLog({ logLevel: 'silent' }))
const authorizer = new McpAuthorizer(net, {
  redirectUri: REDIRECT_URI,
  clientMetadataUrl: DOCUMENT_URL,
  clientName: 'Parley',
})
let grant: StoredGrant | null = null

/** Obtains a grant. No user interaction is needed, because the suite's authorization servers always consent. */
async function authorize(challenge: string | undefined, scope: string | undefined): Promise<StoredGrant> {
  const began = await authorizer.begin({ url, fixed: context, challenge, scope }, 'the-state', signal)
  const answer = await fetch(began.url, { redirect: 'manual', signal })
  const back = new URL(answer.headers.get('location') ?? '')
  const { code = '', iss } = Object.fromEntries(back.searchParams)
  return authorizer.finish(began.pending, { code, iss }, signal)
}

async function listAndCall(): Promise<void> {
  const headers = async (): Promise<Record<string, string>> =>
    grant ? { authorization: `Bearer ${grant.tokens.access_token}` } : {}
  const connection = await connections.open({ key: 'server', url, net: 'guarded', headers }, signal)
  const { tools } = await connection.listTools(signal)
  for (const { name } of tools) await connection.callTool(name, {}, { signal })
}

async function play(): Promise<void> {
  for (let count = 0; ; count++) {
    try {
      return await listAndCall()
    } catch (error) {
      if (!(error instanceof McpError) || count === AUTHORIZATIONS_MAX) throw error
      const { kind, challenge, scope } = error
      if (kind !== 'unauthorized' && kind !== 'insufficient_scope') throw error
      const wider = kind === 'insufficient_scope' && grant ? widenScope(grant, scope) : undefined
      if (wider === null) throw error
      grant = await authorize(challenge, wider)
      await connections.forget('server')
    }
  }
}

try {
  await play()
} finally {
  await connections.close()
  await net.close()
}
