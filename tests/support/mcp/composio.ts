import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export const COMPOSIO_KEY = 'composio-key-canary'

interface Account {
  id: string
  userId: string
  authConfigId: string
  callbackUrl: string
  status: 'INITIATED' | 'ACTIVE' | 'FAILED'
}

/**
 * Emulates Composio's API v3 for its official client. The MCP servers that it creates are at the URL given by the
 * test.
 */
export interface EmulatedComposio {
  url: string
  accounts: Map<string, Account>
  /** Custom MCP servers by id. Each value is the body of the request that created the server. */
  servers: Map<string, Record<string, unknown>>
  /** Requests as `METHOD /path`, oldest first. */
  asked: string[]
  /** HTTP status of every response. Null for normal responses. */
  failure: number | null
  /** Called before a custom MCP server is created. The creation waits until the promise resolves. */
  beforeMaking(): Promise<void>
  /** Acts as a user who opens a link: grants or denies access. Returns the redirect URL. */
  consent(url: string, says?: 'yes' | 'no'): Promise<string>
  close(): Promise<void>
}

/** @param mcpUrl returns the URL of the MCP server for connected accounts */
export async function startComposio(mcpUrl: () => string): Promise<EmulatedComposio> {
  const accounts: EmulatedComposio['accounts'] = new Map()
  const servers: EmulatedComposio['servers'] = new Map()
  const asked: string[] = []
  let made = 0
  const answer = (method: string, path: string, body: Record<string, unknown>): [number, unknown] => {
    const [, collection = '', id = ''] =
      /^\/api\/v3\/(mcp\/servers|connected_accounts|mcp)\/(.+)$/.exec(path) ?? []
    switch (`${method} ${collection}${id === 'link' || collection === 'mcp/servers' ? `/${id}` : ''}`) {
      case 'POST connected_accounts/link': {
        const account: Account = {
          id: `ca_${++made}`,
          userId: String(body['user_id']),
          authConfigId: String(body['auth_config_id']),
          callbackUrl: String(body['callback_url']),
          status: 'INITIATED',
        }
        accounts.set(account.id, account)
        return [
          201,
          {
            link_token: `lt_${account.id}`,
            redirect_url: `${self.url}/link/lt_${account.id}`,
            expires_at: new Date(Date.now() + 600_000).toISOString(),
            connected_account_id: account.id,
          },
        ]
      }
      case 'GET connected_accounts': {
        const account = accounts.get(id)
        return account
          ? [200, { id, user_id: account.userId, status: account.status, toolkit: { slug: 'gmail' } }]
          : NOT_FOUND
      }
      case 'DELETE connected_accounts':
        return accounts.delete(id) ? [200, { success: true }] : NOT_FOUND
      case 'POST mcp/servers/custom': {
        if (!/^[a-zA-Z0-9- ]{4,30}$/.test(String(body['name']))) return refused('name is not valid')
        const serverId = `mcp_${++made}`
        servers.set(serverId, body)
        return [201, { id: serverId, ...body, mcp_url: mcpUrl(), commands: {} }]
      }
      case 'POST mcp/servers/generate': {
        const serverId = String(body['mcp_server_id'])
        if (!servers.has(serverId)) return NOT_FOUND
        const [account] = body['connected_account_ids'] as string[]
        const [user] = body['user_ids'] as string[]
        const address = `${mcpUrl()}?connected_account_id=${account}&user_id=${user}`
        return [200, { mcp_url: mcpUrl(), connected_account_urls: [address], user_ids_url: [address] }]
      }
      case 'DELETE mcp':
        return servers.delete(id) ? [200, { id, deleted: true }] : NOT_FOUND
    }
    return NOT_FOUND
  }
  const http = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += chunk
    const path = (request.url ?? '').split('?')[0] ?? ''
    asked.push(`${request.method} ${path}`)
    if (path.endsWith('/custom')) await self.beforeMaking()
    const [status, body] =
      request.headers['x-api-key'] !== COMPOSIO_KEY
        ? [401, { error: { message: 'Invalid API key', code: 401 } }]
        : self.failure !== null
          ? [self.failure, { error: { message: 'Composio has a bad day', code: 1 } }]
          : answer(request.method ?? '', path, text === '' ? {} : JSON.parse(text))
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const self: EmulatedComposio = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    accounts,
    servers,
    asked,
    failure: null,
    beforeMaking: async () => {},
    async consent(url, says = 'yes') {
      const account = accounts.get(url.split('/lt_')[1] ?? '')
      if (!account) throw new Error('there is no such link')
      account.status = says === 'yes' ? 'ACTIVE' : 'FAILED'
      const back = new URL(account.callbackUrl)
      back.searchParams.set('status', says === 'yes' ? 'success' : 'failed')
      back.searchParams.set('connected_account_id', account.id)
      return back.href
    },
    close: () =>
      new Promise((resolve) => {
        http.close(() => resolve())
        http.closeAllConnections()
      }),
  }
  return self
}

const refused = (message: string): [number, unknown] => [400, { error: { message, code: 400 } }]
const NOT_FOUND: [number, unknown] = [404, { error: { message: 'Not found', code: 404 } }]
