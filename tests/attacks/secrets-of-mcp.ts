import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { makeAgent } from '#tests/support/deployments.ts'
import { allow, REDIRECT_URI, Visitor } from '#tests/support/mcp/connecting.ts'
import { type Target, TOOL_MODEL } from './secret-target.ts'

/** Connects to MCP servers that repeat credentials, and connects an MCP client to the product. */
export async function tryConnections(target: Target): Promise<void> {
  await tryServers(target)
  await tryAuthorizationServer(target)
}

/** A user's connection to an MCP server. */
interface Connection {
  instanceId: string
  agentId: string
  /** Path and query string of the gateway URL. */
  address: string
}

async function tryServers(target: Target): Promise<void> {
  const { plants, keyMcp, oauthMcp, stage } = target
  const keyServer = await addServer(target, keyMcp.url, { type: 'api_key', header: 'X-Key' })
  const oauthServer = await addServer(target, oauthMcp.url, { type: 'oauth' })
  await addServer(target, oauthMcp.url, {
    type: 'oauth',
    client_id: 'fixed',
    client_secret: plants.plant('MCP client secret'),
  })
  const byKey = await connect(target, keyServer, plants.plant('MCP key'))
  const byOauth = await connect(target, oauthServer)
  // Each call repeats the key in a different way.
  for (let call = 0; call < 4; call++) await tryTool(target, byKey)
  for (const how of ['error', 'result', 'status'] as const) {
    oauthMcp.faults.echoToken = how
    await tryTool(target, byOauth)
  }
  delete oauthMcp.faults.echoToken
  await tryTool(target, byOauth)
  // Expires the access token, so that it is refreshed. In the next refreshes, the authorization server repeats the
  // parameters of the request.
  oauthMcp.endAccessTokens()
  await tryTool(target, byOauth)
  for (const fault of ['echo', 'echoPlain'] as const) {
    oauthMcp.faults[fault] = true
    await connect(target, oauthServer).catch(() => undefined)
    oauthMcp.endAccessTokens()
    await tryTool(target, byOauth)
    delete oauthMcp.faults[fault]
  }
  const misplaced = { state: plants.plant('misplaced value'), code: plants.plant('misplaced value') }
  await stage.call('GET', `/api/mcp/callback?${new URLSearchParams(misplaced)}`)
}

async function addServer({ stage }: Target, url: string, auth_config: object): Promise<string> {
  const { status, body, text } = await stage.call('POST', '/api/mcp/servers', {
    token: stage.administrator,
    body: {
      name: 'Echo',
      toolkit_name: 'echo',
      toolkit_slug: randomUUID(),
      description: '',
      url,
      auth_config,
    },
  })
  if (status !== 201) throw new Error(text)
  return body.id
}

/** Connects to an MCP server with `api_key`, or without a key through a browser at the authorization server. */
async function connect(target: Target, serverId: string, api_key?: string): Promise<Connection> {
  const { stage, plants, owner, oauthMcp } = target
  const browser = new Visitor()
  const asked = await browser.visit(`${stage.url}/api/mcp/connect_account?org_id=${owner.organizationId}`, {
    method: 'POST',
    token: owner.token,
    body: { server_id: serverId, ...(api_key !== undefined && { api_key }) },
  })
  const { redirect_url, connectionData } = JSON.parse(asked.text)
  const state = new URL(redirect_url).searchParams.get('state')
  plants.keep('state of a connection', state)
  const back = api_key === undefined ? await oauthMcp.consent(redirect_url) : redirect_url
  const code = new URL(back).searchParams.get('code')
  if (code !== null) plants.keep('MCP code', code)
  const returned = await browser.visit(back)
  const instanceId = connectionData.mcp_session_id
  const generated = await stage.call('POST', '/api/mcp/generate_url', {
    token: owner.token,
    body: { server_id: serverId, session_id: instanceId },
  })
  if (generated.status !== 200) throw new Error(`${returned.location} ${generated.text}`)
  const { pathname, search, searchParams } = new URL(generated.body.mcp_url)
  plants.keep('signature of a gateway', searchParams.get('signature'))
  const more = { mcp_instance_ids: [instanceId], model_id: target.toolModelId }
  const agentId = await makeAgent(stage, owner, stage.provider, 'emu', more)
  return { instanceId, agentId, address: pathname + search }
}

/** Calls the MCP server's tool through the gateway, the playground and an agent. */
async function tryTool({ stage, owner }: Target, connection: Connection): Promise<void> {
  const org = `org_id=${owner.organizationId}`
  const asOwner = { token: owner.token }
  const accept = 'application/json, text/event-stream'
  for (const [method, params] of [
    [
      'initialize',
      { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    ],
    ['tools/call', { name: 'echo', arguments: { text: 'Hi' } }],
  ] as const)
    await stage.call('POST', connection.address, {
      body: { jsonrpc: '2.0', id: 1, method, params },
      headers: { accept, 'mcp-protocol-version': '2025-11-25' },
    })
  const content = 'TOOL:echo={"text":"Hi"} THEN say: So.'
  await stage.call('POST', `/api/mcp_playground/chat?${org}`, {
    ...asOwner,
    body: { content, mcp_instance_ids: [connection.instanceId], model: TOOL_MODEL },
  })
  await stage.say(owner, { agent_id: connection.agentId }, { content }).catch(() => undefined)
  await stage.call('GET', `/api/mcp/list_instances?${org}`, asOwner)
}

const VERIFIER = randomBytes(32).toString('base64url')

/** Authorizes an app, uses its code and its tokens, and then redeems the code again. */
async function tryAuthorizationServer({ stage, plants, owner }: Target): Promise<void> {
  const registered = await stage.call('POST', '/mcp/oauth/register', {
    body: {
      client_name: 'App',
      redirect_uris: [REDIRECT_URI],
      token_endpoint_auth_method: 'none',
      [plants.plant('misplaced name')]: plants.plant('misplaced value'),
    },
  })
  const client_id = registered.body.client_id
  const query = new URLSearchParams({
    client_id,
    redirect_uri: REDIRECT_URI,
    response_type: 'code',
    code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
    code_challenge_method: 'S256',
    resource: `${stage.url}/mcp`,
    state: 's',
  })
  const back = await allow(`${stage.url}/mcp/oauth/authorize?${query}`, owner)
  const code = plants.keep('OAuth code', back.searchParams.get('code'))
  const post = async (path: string, form: Record<string, string>) => {
    const response = await fetch(`${stage.url}/mcp/oauth/${path}`, {
      method: 'POST',
      body: new URLSearchParams(form),
    })
    return JSON.parse((await response.text()) || '{}')
  }
  const redemption = { grant_type: 'authorization_code', client_id, code, redirect_uri: REDIRECT_URI }
  await post('token', {
    ...redemption,
    code: plants.plant('misplaced value'),
    code_verifier: plants.plant('misplaced value'),
  })
  const tokens = await post('token', { ...redemption, code_verifier: plants.keep('PKCE verifier', VERIFIER) })
  plants.keep('OAuth access token', tokens.access_token)
  const refresh = { grant_type: 'refresh_token', client_id, refresh_token: tokens.refresh_token }
  plants.keep('OAuth refresh token', tokens.refresh_token)
  const refreshed = await post('token', refresh)
  plants.keep('OAuth access token', refreshed.access_token)
  plants.keep('OAuth refresh token', refreshed.refresh_token)
  const ping = {
    body: { jsonrpc: '2.0', id: 1, method: 'ping' },
    headers: { accept: 'application/json, text/event-stream' },
  }
  await stage.call('POST', '/mcp', { ...ping, token: refreshed.access_token })
  await stage.call('POST', '/mcp', { ...ping, token: plants.plant('misplaced value') })
  await post('revoke', { client_id, token: refreshed.refresh_token })
  await post('token', {
    ...refresh,
    refresh_token: plants.plant('misplaced value'),
  })
  await post('token', redemption)
}
