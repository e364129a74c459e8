import type { Answer, Client, Person } from './client.ts'

/** Manages agents through the public API as one user. */
export interface AgentKeeper {
  person: Person
  /** A language model of the user's organization that needs no provider. */
  modelId: string
  call(method: string, path: string, query: Record<string, string>, body?: unknown): Promise<Answer>
  /** Requests the creation of an agent. Returns the whole response. */
  ask(more?: Record<string, unknown>): Promise<Answer>
  make(more?: Record<string, unknown>): Promise<string>
  get(agentId: string): Promise<Answer>
  update(agentId: string, change: unknown): Promise<Answer>
  remove(agentId: string): Promise<Answer>
}

export async function agentKeeper(server: Client, person?: Person): Promise<AgentKeeper> {
  const keeper = person ?? (await server.signUp())
  const modelId = await server.addModel(keeper, { provider: 'demo', version: 'parley-demo' })
  const call: AgentKeeper['call'] = (method, path, query, body) =>
    server.call(method, `/api/agents${path}?${new URLSearchParams(query)}`, { token: keeper.token, body })
  const ask: AgentKeeper['ask'] = (more = {}) =>
    call(
      'POST',
      '',
      { org_id: keeper.organizationId },
      {
        name: `Agent ${crypto.randomUUID()}`,
        description: 'd',
        agent_type: 'chat',
        model_id: modelId,
        params: {},
        ...more,
      },
    )
  return {
    person: keeper,
    modelId,
    call,
    ask,
    async make(more) {
      const answer = await ask(more)
      if (answer.status !== 201) throw new Error(`${answer.status}: ${answer.text}`)
      return answer.body.id
    },
    get: (agent_id) => call('GET', '/get', { agent_id }),
    update: (agent_id, change) => call('PUT', '/update', { agent_id }, change),
    remove: (agent_id) => call('DELETE', '/delete', { agent_id }),
  }
}
