import { randomUUID } from 'node:crypto'
import type { McpAuthConfig } from '#database/schema/mcp.ts'
import type { Answer, Client, Person } from '../client.ts'
import type { TestServer } from '../server.ts'

export type Returned = Answer & { location: URL }

/** Acts as a user who connects accounts at MCP servers. Can also add servers to the catalogue. */
export interface Connector extends Connecting {
  addServer(url: string, authConfig: McpAuthConfig | null): Promise<string>
}

/** Acts as a user who connects accounts at MCP servers, only through the public API. */
export interface Connecting {
  person: Person
  ask(serverId: string, more?: Record<string, unknown>, query?: Record<string, string>): Promise<Answer>
  /** Opens the callback URL in the browser that requested the connection, with its cookies. Returns the response. */
  comeBack(address: string): Promise<Returned>
  /** Opens the callback URL in another browser. That browser has no cookie except `cookie`. */
  comeBackElsewhere(address: string, cookie?: string): Promise<Returned>
  cookies(): string
  /**
   * Requests a connection, grants access at the provider if there is one, and opens the callback URL. Returns the id
   * of the connection.
   */
  connect(
    serverId: string,
    consent?: (url: string) => Promise<string>,
    more?: Record<string, unknown>,
  ): Promise<string>
  list(status?: string): Promise<Answer>
  change(instanceId: string, body: unknown): Promise<Answer>
  remove(instanceId: string): Promise<Answer>
}

export async function mcpConnector(server: TestServer, person?: Person): Promise<Connector> {
  const { sql } = server.server.services.database
  return {
    ...connectorOf(server, person ?? (await server.signUp())),
    async addServer(url, authConfig) {
      const id = randomUUID()
      await sql`
        insert into mcp_servers (id, name, toolkit_name, toolkit_slug, description, url, auth_config)
        values (${id}, 'Server', 'server', ${`server-${id}`}, '', ${url},
          ${JSON.stringify(authConfig)}::text::jsonb)`
      return id
    },
  }
}

export function connectorOf(server: Client, person: Person): Connecting {
  const { token, organizationId } = person
  const query = (values: Record<string, string>) => new URLSearchParams(values)
  const jar = new Map<string, string>()
  const keepCookies = ({ headers }: Answer): void => {
    for (const line of headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') jar.delete(name)
      else jar.set(name, value)
    }
  }
  const cookies = (): string => [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
  const ask: Connecting['ask'] = async (serverId, more = {}, parameters = {}) => {
    const answer = await server.call('POST', `/api/mcp/connect_account?${query(parameters)}`, {
      token,
      body: { server_id: serverId, ...more },
    })
    keepCookies(answer)
    return answer
  }
  const comeBackElsewhere: Connecting['comeBackElsewhere'] = async (address, cookie = '') => {
    const { pathname, search } = new URL(address)
    const answer = await server.call('GET', pathname + search, { headers: { cookie } })
    return { ...answer, location: new URL(answer.headers.get('location') ?? 'about:blank') }
  }
  const comeBack: Connecting['comeBack'] = async (address) => {
    const answer = await comeBackElsewhere(address, cookies())
    keepCookies(answer)
    return answer
  }
  return {
    person,
    ask,
    comeBack,
    comeBackElsewhere,
    cookies,
    async connect(serverId, consent = async (url) => url, more) {
      const asked = await ask(serverId, more)
      if (asked.status !== 201) throw new Error(asked.text)
      const { location, text } = await comeBack(await consent(asked.body.redirect_url))
      const isBack = location.pathname === '/mcp/callback'
      const failure = isBack ? location.searchParams.get('error') : text || location.href
      if (failure !== null) throw new Error(failure)
      return asked.body.connectionData.mcp_session_id
    },
    list: (status) =>
      server.call(
        'GET',
        `/api/mcp/list_instances?${query({ org_id: organizationId, ...(status && { status }) })}`,
        { token },
      ),
    change: (mcp_instance_id, body) =>
      server.call('PUT', `/api/mcp/instance?${query({ mcp_instance_id })}`, { token, body }),
    remove: (mcp_instance_id) =>
      server.call('DELETE', `/api/mcp/instance?${query({ mcp_instance_id })}`, { token }),
  }
}
