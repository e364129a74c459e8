import type { Answer, Client, Person } from './client.ts'

/** Manages webhooks through the public API as the administrator of an organization. */
export interface WebhookOwner {
  person: Person
  call(method: string, path: string, query: Record<string, string>, body?: unknown): Promise<Answer>
  add(url: string, eventTypes?: string[]): Promise<{ id: string; secret: string }>
  // biome-ignore lint/suspicious/noExplicitAny: tests read the fields they expect, and fail if one is missing
  deliveries(id: string, query?: Record<string, string>): Promise<any[]>
  /** Creates a conversation, which causes an event. Returns the conversation's id. */
  converse(): Promise<string>
}

export async function ownWebhooks(server: Client, somebody?: Person): Promise<WebhookOwner> {
  const person = somebody ?? (await server.signUp())
  const { token, organizationId: org_id } = person
  const call: WebhookOwner['call'] = (method, path, query, body) =>
    server.call(method, `/api/webhooks/${path}?${new URLSearchParams(query)}`, { token, body })
  return {
    person,
    call,
    async add(url, event_types = ['conversation.updated']) {
      const answer = await call('POST', 'create', { org_id }, { url, event_types })
      if (answer.status !== 201) throw new Error(answer.text)
      return answer.body
    },
    async deliveries(id, query = {}) {
      const answer = await call('GET', 'deliveries', { webhook_id: id, limit: '100', ...query })
      if (answer.status !== 200) throw new Error(answer.text)
      return answer.body.data
    },
    async converse() {
      const answer = await server.call('POST', `/api/conversation/create?org_id=${org_id}`, {
        token,
        body: { title: 'Engines' },
      })
      if (answer.status !== 201) throw new Error(answer.text)
      return answer.body.id
    },
  }
}
