import { afterAll, beforeAll, expect, test } from 'vitest'
import { agentKeeper } from '#tests/support/agents.ts'
import type { Person } from '#tests/support/client.ts'
import { create as deploy } from '#tests/support/deployments.ts'
import { librarian } from '#tests/support/knowledge.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'
import { toolsmith } from '#tests/support/toolsmith.ts'

/** Lists of records, limited to those with a matching name. */

let server: TestServer
let person: Person
beforeAll(async () => {
  server = await sharedTestServer()
  const keeper = await agentKeeper(server)
  person = keeper.person
  for (const name of ['Walrus keeper 100%', 'Seal keeper']) {
    const agentId = await keeper.make({ name })
    await deploy(server, person, agentId, { name })
    await librarian(server, person).create({ name, sources: [] })
    await toolsmith(server, person).make({ fields: { name } })
  }
})
afterAll(() => server.stop())

test.each(['/api/agents/list', '/api/kb/list', '/api/agent_deploy/list', '/api/tools/list_all'])(
  '%s finds words of the name in any order, page by page',
  async (path) => {
    const inOrganization = path.startsWith('/api/tools') ? {} : { org_id: person.organizationId }
    const read = async (query: Record<string, string>) =>
      (
        await server.call('GET', `${path}?${new URLSearchParams({ ...inOrganization, ...query })}`, {
          token: person.token,
        })
      ).body
    const namesOf = async (q: string) => (await read({ q })).data.map(({ name }: { name: string }) => name)
    expect(await namesOf(' KEEPER walr')).toEqual(['Walrus keeper 100%'])
    expect(await namesOf('0%')).toEqual(['Walrus keeper 100%'])
    expect(await namesOf('%')).toEqual(['Walrus keeper 100%'])
    expect(await namesOf('walrus seal')).toEqual([])
    // The list of tools also has what other tests' organizations share.
    expect(await namesOf(' ')).toEqual(expect.arrayContaining(['Seal keeper', 'Walrus keeper 100%']))
    const first = await read({ q: 'keeper', limit: '1' })
    expect(first.data).toHaveLength(1)
    const second = await read({ q: 'keeper', limit: '1', cursor: first.pagination.next_cursor })
    expect(second.data.map(({ name }: { name: string }) => name)).toEqual(['Walrus keeper 100%'])
  },
)
