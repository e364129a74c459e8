import type { Answer, Client, Person } from './client.ts'

/** Reads chats, their files and their ledger entries through the public API. */

export const getChat = async (client: Client, person: Person, chatId: string): Promise<Answer['body']> =>
  (
    await client.call('GET', `/api/chat?org_id=${person.organizationId}&chat_id=${chatId}`, {
      token: person.token,
    })
  ).body

/** Creates a chat with a title, and returns its id. Replies in this chat cause no charge for generating a title. */
export async function titledChat(client: Client, { organizationId, token }: Person): Promise<string> {
  const path = `/api/chat?org_id=${organizationId}`
  const { body } = await client.call('POST', path, { token, body: { title: 'Titled' } })
  return body.id
}

interface Entry {
  id: string
  kind: string
  quantity: number
  amount: number
  usage: { input_tokens: number; output_tokens: number } | null
  reason: string | null
  hold_id: string | null
  message_id: string | null
  chat_id: string | null
  model_id: string | null
  agent_id: string | null
}

/**
 * Returns the ledger entries of a user's replies, oldest first. Excludes granted credits and title generation.
 */
export const ledgerOf = async (client: Client, person: Person): Promise<Entry[]> =>
  (await readBill(client, person)).replies

/** Returns the ledger entries of generated titles: a HOLD for each title, and the entry that closes the HOLD. */
export const titlesBilled = async (client: Client, person: Person): Promise<Entry[]> =>
  (await readBill(client, person)).titles

/** Reads the ledger and separates the entries for title generation, which can appear at any time after a reply. */
async function readBill(client: Client, { organizationId, token }: Person) {
  const path = `/api/billing/ledger?org_id=${organizationId}&limit=100`
  const { body } = await client.call('GET', path, { token })
  const entries: Entry[] = body.data.reverse().filter(({ kind }: Entry) => kind !== 'CREDIT')
  const holds = new Set(entries.filter(({ reason }) => reason === 'title').map(({ id }) => id))
  const isOfTitle = ({ id, hold_id }: Entry): boolean => holds.has(hold_id ?? id)
  return {
    replies: entries.filter((entry) => !isOfTitle(entry)),
    titles: entries.filter(isOfTitle),
  }
}

export const kindsOf = (entries: Entry[]): string[] => entries.map(({ kind }) => kind)

export async function balanceOf(client: Client, person: Person): Promise<Answer['body']> {
  const { body } = await client.call('GET', `/api/billing/balance?org_id=${person.organizationId}`, {
    token: person.token,
  })
  return body
}

/** Uploads a file in a multipart form. */
export async function sendFile(
  client: Client,
  path: string,
  { token, file, name = 'file', type = '' }: { token: string; file: Buffer; name?: string; type?: string },
): Promise<{ status: number; body: Answer['body'] }> {
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(file)], { type }), name)
  const response = await fetch(client.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: form,
  })
  return { status: response.status, body: await response.json() }
}
