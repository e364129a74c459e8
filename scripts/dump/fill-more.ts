import { auth } from '#tests/clients/mcp-client.ts'
import { askForToken, talk } from '#tests/support/deployments.ts'
import { allow, MemoryAuth } from '#tests/support/mcp/connecting.ts'
import { StreamReader } from '#tests/support/reader.ts'
import { TRIED, VISITED } from '../screens/chats.ts'
import type { Filled } from '../screens/fill.ts'
import type { Shop } from '../screens/shop.ts'

/** Data that a dump contains in addition to the screenshots' data. */
export interface More {
  /** A session of the website's deployment. */
  sessionId: string
  /** The chat whose reply is still in progress when the server stops. */
  interruptedChatId: string
}

/** Adds data that the screenshots don't show, so that a dump contains rows of every kind. */
export async function fillMore(shop: Shop, filled: Filled, silentUrl: string): Promise<More> {
  await fillBilling(shop, filled)
  await fillReplies(shop, filled)
  await connectApp(shop)
  const sessionId = await fillVisits(shop, filled)
  const interruptedChatId = await beginReply(shop, silentUrl)
  await fillFiles(shop, filled)
  return { sessionId, interruptedChatId }
}

/** Adds a transfer back, budgets of both kinds, and a message charged to an API key. */
async function fillBilling(
  { team, make, stage, owner }: Shop,
  { people, models, apiKey }: Filled,
): Promise<void> {
  const { body: organizations } = await stage.server.call('GET', '/api/org/list', { token: owner.token })
  const personal = organizations.data.find(({ id }: { id: string }) => id !== team.id).id
  const transfer = { from_org: team.id, to_org: personal, amount: 2_500 }
  const moved = await stage.server.call('POST', '/api/billing/transfer', {
    token: owner.token,
    body: transfer,
  })
  if (moved.status >= 400) throw new Error(moved.text)
  const budgets = [{ user_id: people.ines.userId }, { user_id: people.jonas.userId }, { api_key_id: apiKey }]
  for (const subject of budgets)
    await team.api('PUT', '/api/billing/budgets/set', { ...subject, credits_per_month: 40_000 })
  const { key: token } = await team.api('POST', '/api/api_keys/create', {
    name: 'Labels',
    permissions: ['chats:read', 'chats:write'],
  })
  await stage.server.say(
    { ...owner, token },
    { model_id: models.small },
    { content: 'How many copies are left?' },
  )
  await stage.server.say(people.ines, { model_id: models.gull }, { content: 'What flies on a string?' })
  await make('/api/chat', { title: 'Empty' }, people.jonas)
}

/** Adds a reply with a tool call, a regenerated reply, and requests that are sent twice. */
async function fillReplies({ stage, owner, team }: Shop, { agent, models, chat }: Filled): Promise<void> {
  const { server } = stage
  await server.say(owner, { agent_id: agent }, { content: TRIED.asked })
  const { id: message_id } = await newestReply({ stage, team, owner }, chat)
  const again = team.at(`/api/chat/regenerate?${new URLSearchParams({ chat_id: chat, message_id })}`)
  const regenerated = await server.call('POST', again, { token: owner.token, body: {} })
  if (regenerated.status !== 200) throw new Error(regenerated.text)
  const headers = { 'idempotency-key': 'once' }
  for (const _attempt of ['first', 'repeated']) {
    const body = { name: 'Kindly', content: 'Answer kindly.' }
    await server.call('POST', team.at('/api/instructions/create'), { token: owner.token, body, headers })
    await server.say(owner, { model_id: models.small }, { content: 'Ask me once.' }, headers)
  }
}

async function newestReply({ stage, team, owner }: Pick<Shop, 'stage' | 'team' | 'owner'>, chat: string) {
  const { body } = await stage.server.call('GET', team.at(`/api/chat?chat_id=${chat}`), {
    token: owner.token,
  })
  return body.messages.findLast(({ role }: { role: string }) => role === 'assistant')
}

/** Adds a file attached to a message, and one that is not attached yet. */
async function fillFiles({ stage, owner }: Shop, { models }: Filled): Promise<void> {
  const upload = async (name: string, bytes: string): Promise<string> => {
    const { status, body, text } = await stage.server.upload(owner, { name, bytes, type: 'text/plain' })
    if (status !== 201) throw new Error(text)
    return body.id
  }
  const note = await upload('till.txt', 'The till was short by two pounds on Friday.')
  await upload('stairs.txt', 'Count: 84.')
  await stage.server.say(
    owner,
    { model_id: models.small },
    { content: 'Was the till short by two pounds?', file_uploads: [note] },
  )
}

/**
 * Adds a visitor of the website, and a visitor who is served through the deployment key. Returns the session of the
 * second visitor.
 */
async function fillVisits({ stage }: Shop, { deployments }: Filled): Promise<string> {
  const origin = 'https://www.lighthouse.example'
  const { body } = await askForToken(stage.server, deployments.website, undefined, { origin })
  const said = await talk(stage.server, body.token, { content: VISITED.asked })
  const { status, text, sessionId } = await talk(stage.server, deployments.websiteKey, {
    content: VISITED.asked,
  })
  if (said.status !== 200 || status !== 200) throw new Error(`${said.text} ${text}`)
  return sessionId
}

/** Sends a message to a model that never answers. Returns the id of the chat. */
async function beginReply({ stage, team, make, owner }: Shop, silentUrl: string): Promise<string> {
  const model_id = await make('/api/llm/add', {
    name: 'Silent',
    provider: 'openai-compatible',
    version: 'silent',
    config: { base_url: `${silentUrl}/v1`, api_key: 'key' },
  })
  const chat_id = await make('/api/chat', { title: 'Is anybody there?' })
  const query = new URLSearchParams({ chat_id, model_id })
  const asked = await StreamReader.open(`${stage.server.url}${team.at(`/api/chat/send_message?${query}`)}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ content: 'Hello?' }),
  })
  if (asked.status !== 200) throw new Error(await asked.text())
  return chat_id
}

/** Connects an app that uses /mcp in the owner's name. */
async function connectApp({ stage, owner }: Shop): Promise<void> {
  const serverUrl = `${stage.server.environment['BASE_URL']}/mcp`
  const provider = new MemoryAuth('Reading list')
  await auth(provider, { serverUrl })
  const back = await allow(provider.sentTo as URL, owner)
  await auth(provider, { serverUrl, authorizationCode: back.searchParams.get('code') ?? '' })
  if (!provider.kept) throw new Error('The app could not connect.')
}
