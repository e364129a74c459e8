import { ASKED_OF_SEVERAL, CHATS, PLAYED, RETURNS, VISITED } from './chats.ts'
import type { Knowledge, Models } from './fill-work.ts'
import type { Shop } from './shop.ts'

const DAY_MS = 86_400_000

/** Creates the owner's chats. Returns the id of the chat that is shown open. */
export async function fillChats(shop: Shop, models: Models, { handbook }: Knowledge): Promise<string> {
  const { stage, make, owner, team, sql } = shop
  await team.api('POST', '/api/instructions/create', {
    name: 'Short and plain',
    content: 'Answer in three sentences at most, without foreign words.',
  })
  let shown = ''
  for (const chat of CHATS.toReversed()) {
    const chat_id = await make('/api/chat', { title: chat.title })
    await stage.server.say(
      owner,
      { chat_id, model_id: models.large },
      { content: chat.asked, ...(chat.fromHandbook && { knowledge_base_ids: [handbook] }) },
    )
    if (chat.folder || chat.pinned)
      await team.api('PUT', `/api/chat?chat_id=${chat_id}`, {
        ...(chat.folder && { folder: chat.folder }),
        ...(chat.pinned && { pinned: true }),
      })
    const at = new Date(Date.now() - chat.daysAgo * DAY_MS)
    if (chat.daysAgo > 0)
      await sql`update chats set created_at = ${at}, updated_at = ${at}, last_message_at = ${at} where id = ${chat_id}`
    if (chat === RETURNS) shown = chat_id
  }
  return shown
}

/** Creates a conversation with three models, and two others. Returns the id of the first. */
export async function fillConversations({ make, team }: Shop, models: Models): Promise<string> {
  await make('/api/conversation/create', { title: 'Who writes the newsletter?' })
  await make('/api/conversation/create', { title: 'Blurbs for the window' })
  const conversation_id = await make('/api/conversation/create', { title: 'One book about the sea' })
  for (const model_id of Object.values(models)) {
    const chat_session_id = await make('/api/conversation/create_session', { conversation_id, model_id })
    await team.api('POST', '/api/conversation/stream_chat', { chat_session_id, message: ASKED_OF_SEVERAL })
  }
  return conversation_id
}

/** Sends a website visitor's question with the key of the deployment. */
export async function fillVisits({ stage }: Shop, key: string): Promise<void> {
  const answer = await stage.server.call('POST', '/api/agent_deploy/chat', {
    token: key,
    body: { content: VISITED.asked },
  })
  if (answer.status !== 200) throw new Error(answer.text)
}

/** Creates a playground chat. */
export async function fillPlayground({ team }: Shop, connection: string): Promise<void> {
  await team.api('POST', '/api/mcp_playground/chat', {
    content: PLAYED.asked,
    mcp_instance_ids: [connection],
  })
}
