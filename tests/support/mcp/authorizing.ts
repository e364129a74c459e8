import { createHash, randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import { auth } from '#tests/clients/mcp-client.ts'
import type { Client, Person } from '#tests/support/client.ts'
import { allow, MemoryAuth, REDIRECT_URI, startAddressedServer } from './connecting.ts'

export const VERIFIER = randomBytes(32).toString('base64url')
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url')

export type Authorizing = Awaited<ReturnType<typeof openAuthorizing>>

/** Starts a server and signs up a user. Returns helpers that act as apps requesting access to the user's account. */
export async function openAuthorizing(environment: Record<string, string> = {}) {
  const server = await startAddressedServer({ TRUST_PROXY: '1', ...environment })
  const person = await server.signUp()
  return { ...authorizingAt(server, person), server }
}

/** Returns helpers for a user and their apps. The helpers use only HTTP. The server must have TRUST_PROXY=1. */
export function authorizingAt(server: Client, person: Person) {
  const serverUrl = (): string => `${server.url}/mcp`

  async function connect(name?: string, owner = person): Promise<MemoryAuth> {
    const provider = new MemoryAuth(name)
    expect(await auth(provider, { serverUrl: serverUrl() })).toBe('REDIRECT')
    const back = await allow(provider.sentTo as URL, owner)
    const authorizationCode = back.searchParams.get('code') ?? ''
    expect(await auth(provider, { serverUrl: serverUrl(), authorizationCode })).toBe('AUTHORIZED')
    return provider
  }

  const PING = { jsonrpc: '2.0', id: 1, method: 'ping' }
  const HEADERS = { accept: 'application/json, text/event-stream' }
  const ping = async (token: string | undefined, at: Pick<Client, 'call'> = server): Promise<number> =>
    (await at.call('POST', '/mcp', { token: token ?? '', body: PING, headers: HEADERS })).status

  // biome-ignore lint/suspicious/noExplicitAny: messages on the wire are untyped
  async function post(path: string, form: Record<string, string>, url = server.url): Promise<any> {
    const response = await fetch(`${url}/mcp/oauth/${path}`, {
      method: 'POST',
      body: new URLSearchParams(form),
    })
    const text = await response.text()
    return { status: response.status, ...(text && JSON.parse(text)) }
  }

  /** Sends each registration from a new IP address, because registrations are limited per address. */
  const register = (body: object) => {
    const headers = { 'x-forwarded-for': `192.0.2.${++registrations}` }
    return server.call('POST', '/mcp/oauth/register', { body, headers })
  }
  let registrations = 0

  async function registered(more: object = {}): Promise<string> {
    const body = {
      redirect_uris: [REDIRECT_URI],
      token_endpoint_auth_method: 'none',
      client_name: 'By hand',
      ...more,
    }
    const answer = await register(body)
    if (answer.status !== 201) throw new Error(answer.text)
    return answer.body.client_id
  }

  const authorizeUrl = (clientId: string, more: Record<string, string | undefined> = {}): string => {
    const parameters = {
      client_id: clientId,
      redirect_uri: REDIRECT_URI,
      response_type: 'code',
      code_challenge: CHALLENGE,
      code_challenge_method: 'S256',
      resource: serverUrl(),
      state: 'the state',
      ...more,
    }
    const given = Object.entries(parameters).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    )
    return `${server.url}/mcp/oauth/authorize?${new URLSearchParams(given)}`
  }

  /** Returns a registered client's id, and an authorization code that isn't redeemed yet. */
  async function withCode(
    more: Record<string, string | undefined> = {},
  ): Promise<{ clientId: string; code: string }> {
    const clientId = await registered()
    const back = await allow(authorizeUrl(clientId, more), person)
    return { clientId, code: back.searchParams.get('code') ?? '' }
  }

  const redeem = (clientId: string, code: string, more: Record<string, string> = {}) =>
    post('token', {
      grant_type: 'authorization_code',
      client_id: clientId,
      code,
      code_verifier: VERIFIER,
      redirect_uri: REDIRECT_URI,
      ...more,
    })

  const refresh = (clientId: string, token: string, more: Record<string, string> = {}) =>
    post('token', { grant_type: 'refresh_token', client_id: clientId, refresh_token: token, ...more })

  const keysOf = async (): Promise<{ id: string; name: string; permissions: string[] }[]> => {
    const { organizationId, token } = person
    const { body } = await server.call('GET', `/api/api_keys/list?org_id=${organizationId}&limit=100`, {
      token,
    })
    return body.data
  }

  const clientIdOf = ({ client }: MemoryAuth): string => client?.client_id ?? ''
  return {
    person,
    serverUrl,
    connect,
    ping,
    post,
    register,
    registered,
    authorizeUrl,
    withCode,
    redeem,
    refresh,
    keysOf,
    clientIdOf,
  }
}
