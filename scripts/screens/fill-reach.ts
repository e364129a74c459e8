import { mcpConnector } from '#tests/support/mcp/connector.ts'
import type { Models } from './fill-work.ts'
import type { Shop } from './shop.ts'

/** The ids of the owner's connections and of their servers. */
export interface Connections {
  parcels: string
  diary: string
  parcelServer: string
  diaryServer: string
}

export async function fillConnections(shop: Shop): Promise<Connections> {
  const { team, stage, parcels, diary } = shop
  const connector = await mcpConnector(stage.server, shop.owner)
  const addServer = async (name: string, toolkit_slug: string, url: string, type: string, words: string) =>
    (
      await team.asAdministrator('POST', '/api/mcp/servers', {
        name,
        toolkit_name: name,
        toolkit_slug,
        description: words,
        url,
        auth_config: { type },
      })
    ).id as string
  const connect = async (server_id: string, consent = async (url: string) => url): Promise<string> => {
    const asked = await connector.ask(server_id, {}, { org_id: shop.owner.organizationId })
    const { location, text } = await connector.comeBack(await consent(asked.body.redirect_url))
    if (location.pathname !== '/mcp/callback' || location.searchParams.has('error'))
      throw new Error(text || location.href)
    return asked.body.connectionData.mcp_session_id
  }
  const parcelServer = await addServer(
    'Parcel Desk',
    'parcel-desk',
    parcels.url,
    'none',
    'Where parcels are, when they arrive, and who picks up the next ones.',
  )
  const diaryServer = await addServer(
    'Harbour Diary',
    'harbour-diary',
    diary.url,
    'oauth',
    'Events, tides and ferries in one calendar.',
  )
  return {
    parcelServer,
    diaryServer,
    parcels: await connect(parcelServer),
    diary: await connect(diaryServer, (url) => diary.consent(url)),
  }
}

/** Creates the agents of the shop. Returns the id of the agent whose page is shown. */
export async function fillAgents(
  { make, team }: Shop,
  models: Models,
  given: { tool: string; handbook: string; connections: Connections },
): Promise<string> {
  const add = (name: string, description: string, model_id: string, more: object) =>
    make('/api/agents', { name, description, agent_type: 'chat', model_id, params: {}, ...more })
  await add('Bookkeeper', 'Explains invoices and reminds of those that are due', models.small, {})
  await add('Night reader', 'Recommends what to read when the light is out', models.gull, { is_public: true })
  const keeper = await add('Keeper', 'Answers customers, looks for books and for parcels', models.large, {
    params: {
      system_prompt:
        'You are the keeper of a bookshop in a lighthouse. Answer in two or three sentences, kindly and to the point.\n\n' +
        'Look for a book before you say that it is there. What the handbook does not say, you do not promise.',
      temperature: 0.3,
      max_tokens: 800,
    },
    tools: [{ tool_id: given.tool, config: [{ name: 'till_key', value: 'key-of-the-till' }] }],
    knowledge_base_ids: [given.handbook],
    mcp_instance_ids: [given.connections.parcels],
  })
  await team.api('PUT', `/api/mcp/instance?mcp_instance_id=${given.connections.diary}`, {
    name: 'Calendar of events',
    shared_agent_ids: [keeper],
  })
  return keeper
}

/** The deployments of an agent. */
export interface Deployments {
  website: string
  websiteKey: string
  report: string
}

export async function fillDeployments({ team }: Shop, agent_id: string): Promise<Deployments> {
  const add = (name: string, description: string, deployment_type: string, config: object) =>
    team.api('POST', '/api/agent_deploy/create', { agent_id, name, description, deployment_type, config })
  const report = await add('Stock report', 'Asked by the till every night', 'api', {
    daily_message_limit: 100,
  })
  const tablet = await add('Tablet by the stairs', 'For customers in the shop', 'iframe', {})
  await team.api('PUT', `/api/agent_deploy/update?deployment_id=${tablet.id}`, { status: 'paused' })
  const website = await add('Website', 'The chat of our web shop', 'widget', {
    theme: { primary_color: '#0f766e' },
    branding: { company_name: 'Lighthouse Books' },
    welcome_message: 'Ahoy! Ask me for books, hours and parcels.',
    allowed_origins: ['https://www.lighthouse.example'],
    daily_message_limit: 500,
  })
  return { website: website.id, websiteKey: website.api_key, report: report.id }
}

/** Creates API keys. Returns the id of the till's key. */
export async function fillKeys({ make }: Shop): Promise<string> {
  await make('/api/api_keys/create', { name: 'Newsletter', permissions: ['chats:write', 'chats:read'] })
  return make('/api/api_keys/create', {
    name: 'Till',
    permissions: ['kb:read', 'agent:read', 'organization:read'],
    expires_at: new Date(Date.now() + 90 * 86_400_000).toISOString(),
  })
}

/** Creates two webhooks. The endpoint of one responds with errors. Returns the id of the other webhook. */
export async function fillWebhooks({ team, make, hooksUrl }: Shop): Promise<string> {
  const add = (path: string, description: string, event_types: string[]) =>
    make('/api/webhooks/create', { url: `${hooksUrl}/${path}`, description, event_types })
  const till = await add('tills', 'The till, which is off at night', ['billing.credits_low'])
  const shelf = await add('shelves', 'Labels of the shelves', [
    'conversation.updated',
    'knowledge_base.ingestion_completed',
    'agent_deployment.status_changed',
  ])
  await team.api('POST', `/api/webhooks/test?webhook_id=${till}`)
  await team.api('POST', `/api/webhooks/test?webhook_id=${shelf}`)
  return shelf
}
