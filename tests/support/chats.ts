import type { Answer, Client, Person } from './client.ts'

/** What a chat, its files and its bill look like from outside. */

export const getChat = async (client: Client, person: Person, chatId: string): Promise<Answer['body']> =>
  (
    await client.call('GET', `/api/chat?org_id=${person.organizationId}&chat_id=${chatId}`, {
      token: person.token,
    })
  ).body

interface Entry {
  kind: string
  quantity: number
  amount: number
  usage: { input_tokens: number; output_tokens: number } | null
  reason: string | null
  hold_id: string | null
  message_id: string | null
}

/** The bill of somebody's organization, oldest entry first, without the credits that it began with. */
export async function ledgerOf(client: Client, person: Person): Promise<Entry[]> {
  const { body } = await client.call('GET', `/api/billing/ledger?org_id=${person.organizationId}&limit=100`, {
    token: person.token,
  })
  return body.data.reverse().filter((entry: Entry) => entry.kind !== 'CREDIT')
}

export const kindsOf = (entries: Entry[]): string[] => entries.map(({ kind }) => kind)

export async function balanceOf(client: Client, person: Person): Promise<Answer['body']> {
  const { body } = await client.call('GET', `/api/billing/balance?org_id=${person.organizationId}`, {
    token: person.token,
  })
  return body
}

/** Sends a file in a form. */
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
