import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer, Person } from '#tests/support/client.ts'
import { callMain, toolsmith } from '#tests/support/toolsmith.ts'
import type { Stage } from './stage.ts'
import type { Trap } from './trap.ts'

/** A feature through which the server connects to a host that a client chooses. */
export interface OutgoingPath {
  name: string
  /**
   * True if the feature accepts only HTTPS. The allowed site has no certificate and therefore receives no request.
   */
  isHttps?: boolean
  /** Makes the server connect to `host`, which includes a port. Returns the resulting message, usually an error. */
  send(host: string, path?: string): Promise<string>
}

/**
 * Code that resolves names in .rebind.test as an attacker's name server would: the second lookup of a name returns
 * another address.
 */
const RESOLVER = `
const dns = require('node:dns')
const resolve = dns.lookup
const asked = new Map()
dns.lookup = (name, options, callback) => {
  const inner = { address: '127.0.0.1', family: 4 }
  const allowed = { address: '127.0.0.2', family: 4 }
  const count = asked.get(name) ?? 0
  asked.set(name, count + 1)
  const answers = {
    'private.rebind.test': [inner],
    'mixed.rebind.test': [allowed, inner],
    'mapped.rebind.test': [{ address: '::ffff:127.0.0.1', family: 6 }],
    'once.rebind.test': [count % 2 === 0 ? allowed : inner],
  }[name]
  if (!answers) return resolve(name, options, callback)
  const done = callback ?? options
  process.nextTick(() => (options.all ? done(null, answers) : done(null, answers[0].address, answers[0].family)))
}
require('node:module').syncBuiltinESMExports()
`
const WAIT_MS = 60_000

/** Starts a server that may connect only to the allowed site. Returns the server's outgoing paths. */
export async function openOutgoingPaths(main: Stage, trap: Trap): Promise<OutgoingPath[]> {
  const preload = join(main.dataDir, 'resolver.cjs')
  writeFileSync(preload, RESOLVER)
  const stage = await main.another({
    ALLOW_PRIVATE_NETWORK: `${trap.allowed}/32`,
    NODE_OPTIONS: `--require ${preload}`,
  })
  const person = await stage.signUp()
  const { token, organizationId: org_id } = person
  const ask = (
    method: string,
    path: string,
    query: Record<string, string>,
    body?: unknown,
  ): Promise<Answer> =>
    stage.call(method, `${path}?${new URLSearchParams(query)}`, {
      token,
      ...(body !== undefined && { body }),
    })
  let count = 0

  const addModel = (base_url: string) =>
    ask(
      'POST',
      '/api/llm/add',
      { org_id },
      {
        name: `Model ${++count}`,
        provider: 'openai-compatible',
        version: 'emu',
        config: { base_url, api_key: 'sk-canary' },
      },
    )
  const source = async (type: string, config: object): Promise<string> => {
    const { body, status, text } = await ask(
      'POST',
      '/api/kb/create',
      { org_id },
      {
        name: `Library ${++count}`,
        description: '',
        embedding_model: 'local',
        sources: [{ type, config }],
      },
    )
    if (status !== 201) return text
    for (const end = Date.now() + WAIT_MS; Date.now() < end; await sleep(25)) {
      const { body: progress } = await ask('GET', '/api/kb/ingestion_status', { kb_id: body.id })
      if (progress.status !== 'pending' && progress.status !== 'processing') return JSON.stringify(progress)
    }
    return 'still at work'
  }
  const tool = await prepareTool(stage, person, trap)

  return [
    {
      name: 'a model',
      async send(host, path = '/v1') {
        const { status, body, text } = await addModel(`http://${host}${path}`)
        return status === 201 ? (await ask('POST', '/api/llm/test', { model_id: body.id })).text : text
      },
    },
    {
      name: 'a model connection',
      async send(host, path = '/v1') {
        const { status, body, text } = await ask(
          'POST',
          '/api/llm/connections/create',
          { org_id },
          { name: `Connection ${++count}`, provider: 'openai-compatible', base_url: `http://${host}${path}` },
        )
        if (status !== 201) return text
        return (await ask('GET', '/api/llm/connections/list_models', { connection_id: body.id })).text
      },
    },
    {
      name: 'a website',
      send: (host, path = '/') => source('web', { url: `http://${host}${path}` }),
    },
    {
      name: 'a bucket',
      send: (host, path = '') =>
        source('s3', {
          bucket: `files${path.replace('/', '-')}`,
          prefix: '',
          region: 'us-east-1',
          endpoint: `http://${host}`,
          access_key_id: 'a',
          secret_access_key: 'b',
        }),
    },
    {
      name: 'a webhook',
      async send(host, path = '/') {
        const url = `http://${host}${path}`
        const made = await ask(
          'POST',
          '/api/webhooks/create',
          { org_id },
          { url, event_types: ['conversation.updated'] },
        )
        if (made.status !== 201) return made.text
        const { text } = await ask('POST', '/api/webhooks/test', { webhook_id: made.body.id })
        await ask('DELETE', '/api/webhooks/delete', { webhook_id: made.body.id })
        return text
      },
    },
    ...(['none', 'oauth'] as const).map(
      (type): OutgoingPath => ({
        name: type === 'none' ? 'an MCP server' : 'an authorization server of MCP',
        isHttps: type === 'oauth',
        async send(host, path = '/mcp') {
          const made = await stage.call('POST', '/api/mcp/servers', {
            token: stage.administrator,
            body: {
              name: `Server ${++count}`,
              toolkit_name: 'Server',
              toolkit_slug: `server-${count}`,
              description: '',
              url: `http://${host}${path}`,
              auth_config: { type },
            },
          })
          if (made.status !== 201) return made.text
          const asked = await ask('POST', '/api/mcp/connect_account', {}, { server_id: made.body.id })
          if (asked.status !== 201 || type === 'oauth') return asked.text
          const { pathname, search } = new URL(asked.body.redirect_url)
          const cookie = asked.headers
            .getSetCookie()
            .map((one) => one.split(';')[0] ?? '')
            .join('; ')
          await stage.call('GET', pathname + search, { headers: { cookie } })
          const mcp_instance_ids = [asked.body.connectionData.mcp_session_id]
          return (
            await ask('POST', '/api/mcp_playground/chat', { org_id }, { content: 'Hi', mcp_instance_ids })
          ).text
        },
      }),
    ),
    {
      name: 'client metadata',
      isHttps: true,
      async send(host, path = '/client.json') {
        const { text, status } = await ask('GET', '/mcp/oauth/authorize', {
          client_id: `https://${host}${path}`,
          redirect_uri: `https://${host}/back`,
          response_type: 'code',
          code_challenge: 'x'.repeat(43),
          code_challenge_method: 'S256',
          state: 's',
        })
        return `${status} ${text}`
      },
    },
    tool,
    ...(['chat/completions', 'responses'] as const).map(
      (endpoint): OutgoingPath => ({
        name: `an image for ${endpoint}`,
        async send(host, path = '/a.png') {
          const url = `http://${host}${path}`
          const content =
            endpoint === 'responses'
              ? [{ type: 'input_image', image_url: url }]
              : [{ type: 'image_url', image_url: { url } }]
          const messages = [{ role: 'user', content }]
          const body = { model: 'Seer', ...(endpoint === 'responses' ? { input: messages } : { messages }) }
          return (await stage.call('POST', `/openai/v1/${endpoint}`, { token, body })).text
        },
      }),
    ),
  ]

  async function prepareTool(of: Stage, by: Person, { allowed }: Trap): Promise<OutgoingPath> {
    // The server must not connect to the provider on 127.0.0.1. A forwarder on the allowed address leads to the
    // provider.
    const target = new URL(main.provider.url)
    const forwarder = createServer((socket) => {
      const other = connect(Number(target.port), target.hostname)
      for (const end of [socket, other]) end.on('error', () => end.destroy())
      socket.pipe(other).pipe(socket)
    })
    await once(forwarder.unref().listen(0, allowed), 'listening')
    const base_url = `http://${allowed}:${(forwarder.address() as AddressInfo).port}/v1`
    await of.addModel(by, {
      name: 'Seer',
      provider: 'openai-compatible',
      version: 'emu',
      config: { base_url, api_key: 'k', capabilities: ['text', 'vision'] },
    })
    const smith = toolsmith(of, by)
    return {
      name: 'a tool',
      async send(host, path = '/') {
        const url = `http://${host}${path}`
        const made = await smith.submit({
          network: [host],
          code: `export async function main() { return [await fetch(${JSON.stringify(url)}).then((answer) => answer.text(), String)] }`,
          inputs: [],
        })
        if (made.status !== 201) return made.text
        const { text } = await callMain(smith, made.body.id, base_url)
        return text
      },
    }
  }
}
