import { expect, test } from 'vitest'
import { getChat, kindsOf, titlesBilled } from './chats.ts'
import type { Person, StreamEvent } from './client.ts'
import { type Instances, startInstances } from './instances.ts'
import { librarian, textSource } from './knowledge.ts'
import { openReady } from './live-socket.ts'
import { type EmulatedProvider, startProvider } from './provider/index.ts'
import { idsOf, joinedText, openMessage, resumeMessage } from './reader.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import { addMemberWithRole, createOrganization, roleOf } from './tenants.ts'
import { ownWebhooks } from './webhooks.ts'

export interface InstanceStage extends Instances {
  provider: EmulatedProvider
  receiver: Receiver
}

/** Far more than a user of the other tests sends. */
const REQUESTS_MAX = 300

/** Starts two instances that serve clients and a worker, with an emulated provider and webhook receiver. */
export async function openInstanceStage(environment: Record<string, string>): Promise<InstanceStage> {
  const provider = await startProvider()
  const receiver = await startReceiver()
  const instances = await startInstances({
    SECRET: 's'.repeat(32),
    RATE_LIMIT_USER_PER_HOUR: String(REQUESTS_MAX),
    ...environment,
  })
  return {
    ...instances,
    provider,
    receiver,
    async stop() {
      await instances.stop()
      await receiver.close()
      await provider.close()
    },
  }
}

/** Tests that two instances that serve clients and one worker act as one server. */
export function testInstances(stage: () => InstanceStage): void {
  async function personWithModel(version: string): Promise<{ person: Person; modelId: string }> {
    const { front, provider } = stage()
    const person = await front.signUp()
    const modelId = await front.addModel(person, {
      provider: 'openai-compatible',
      version,
      config: { base_url: `${provider.url}/v1` },
    })
    return { person, modelId }
  }

  test('a user who signs up through one instance is known to all, and the worker serves only probes', async () => {
    const { front, apis, worker } = stage()
    const person = await front.signUp()
    for (const api of apis)
      expect((await api.call('GET', '/api/users/me', { token: person.token })).body.email).toBe(person.email)
    expect((await worker.call('GET', '/api/users/me', { token: person.token })).status).toBe(404)
    for (const probe of ['/healthz', '/readyz', '/metrics'])
      expect((await worker.call('GET', probe)).status).toBe(200)
  })

  test('a stream that breaks at one instance resumes at the other', async () => {
    const { apis } = stage()
    const { person, modelId } = await personWithModel('emu-n20-gap40')
    const stream = await openMessage(apis[0].url, person, { model_id: modelId }, { content: 'Hi' })
    const [first, second] = await stream.take(2)
    const resumed = await resumeMessage(apis[1].url, person, idsOf(stream), second?.id)
    const whole = await stream.take()
    const received = [first as StreamEvent, second as StreamEvent, ...(await resumed.take())]
    expect(joinedText(received)).toBe(joinedText(whole))
  })

  test('many replies are followed through the other instance', async () => {
    const { apis } = stage()
    const { person, modelId } = await personWithModel('emu-n30-gap20')
    const streams = await Promise.all(
      Array.from({ length: 12 }, () =>
        openMessage(apis[0].url, person, { model_id: modelId }, { content: 'Hi' }),
      ),
    )
    const followers = await Promise.all(
      streams.map((stream) => resumeMessage(apis[1].url, person, idsOf(stream))),
    )
    const [wholes, followed] = await Promise.all([
      Promise.all(streams.map((stream) => stream.take())),
      Promise.all(followers.map((stream) => stream.take())),
    ])
    expect(followed.map(joinedText)).toEqual(wholes.map(joinedText))
  })

  test('a reply stops through the other instance', async () => {
    const { apis } = stage()
    const { person, modelId } = await personWithModel('emu-n500-gap20')
    const stream = await openMessage(apis[0].url, person, { model_id: modelId }, { content: 'Hi' })
    await stream.take(2)
    const path = `/api/chat/stop?org_id=${person.organizationId}&chat_id=${idsOf(stream).chatId}`
    expect((await apis[1].call('POST', path, { token: person.token })).status).toBe(200)
    expect((await stream.take()).at(-1)?.data).toEqual({ message: 'DONE' })
    expect(stream.events.length).toBeLessThan(400)
  })

  test('each title is written once, and all instances tell their clients', async () => {
    const { apis, provider } = stage()
    const { person, modelId } = await personWithModel('emu-n3')
    const sockets = await Promise.all(apis.map(({ url }) => openReady(url, person.token)))
    const { chatId } = await apis[0].say(person, { model_id: modelId }, { content: 'say: Foxes' })
    for (const socket of sockets) {
      const events = await socket.until('chat.title_updated')
      expect(events.at(-1).data).toEqual({ chat_id: chatId, title: 'Foxes' })
    }
    // Titles of earlier chats may still be requested.
    const requests = provider.titleRequests.filter(({ body }) => JSON.stringify(body).includes('Foxes'))
    expect(requests).toHaveLength(1)
    expect((await getChat(apis[1], person, chatId)).title).toBe('Foxes')
    expect(kindsOf(await titlesBilled(apis[1], person))).toEqual(['HOLD', 'DEBIT'])
    for (const { socket } of sockets) socket.close()
  })

  test('the worker reads sources, and an instance that serves clients finds their passages', async () => {
    const { front, apis } = stage()
    const person = await front.signUp()
    const books = librarian(front, person)
    const kbId = await books.create({ sources: [textSource('otters')] })
    expect(await books.settle(kbId)).toMatchObject({ status: 'ready' })
    for (const api of apis) {
      const body = { query: 'otters' }
      const found = await api.call('POST', `/api/kb/search?kb_id=${kbId}`, { token: person.token, body })
      expect(found.text).toContain('All about otters.')
    }
  })

  test('a webhook receives each event once', async () => {
    const { apis, receiver } = stage()
    const owner = await ownWebhooks(apis[0])
    const path = `/hooks/${owner.person.userId}`
    const { id } = await owner.add(`${receiver.url}${path}`)
    await ownWebhooks(apis[1], owner.person).then((there) => there.converse())
    await expect
      .poll(async () => (await owner.deliveries(id)).map(({ status }) => status))
      .toEqual(['delivered'])
    expect(receiver.at(path)).toHaveLength(1)
  })

  test('a change of roles is in force at once at every instance', async () => {
    const { front, apis, worker } = stage()
    const owner = await createOrganization(front as typeof worker, await front.signUp())
    const member = await front.signUp()
    const { sql } = worker.server.services.database
    await addMemberWithRole(sql, owner.organizationId, member.userId, 'member')
    const create = (api: (typeof apis)[number]) =>
      api.call('POST', `/api/chat?org_id=${owner.organizationId}`, { token: member.token, body: {} })
    const assign = async (api: (typeof apis)[number], name: string) => {
      const role_id = await roleOf(api, owner, name)
      const path = `/api/users/update?org_id=${owner.organizationId}&user_id=${member.userId}`
      const answer = await api.call('PUT', path, { token: owner.token, body: { role_id } })
      expect(answer.status, answer.text).toBe(200)
    }
    for (const [index, api] of apis.entries()) {
      const other = apis[1 - index] as typeof api
      expect((await create(other)).status).toBe(201)
      await assign(api, 'guest')
      expect((await create(other)).status).toBe(403)
      await assign(other, 'member')
      expect((await create(api)).status).toBe(201)
    }
  })

  test('instances count the requests of a user together', async () => {
    const { apis } = stage()
    const person = await apis[0].signUp()
    const hits = Array.from({ length: REQUESTS_MAX + 20 }, (_, index) =>
      apis[index % 2]?.call('GET', '/api/users/me', { token: person.token }),
    )
    const statuses = (await Promise.all(hits)).map((answer) => answer?.status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(REQUESTS_MAX)
    expect(statuses.filter((status) => status === 429)).toHaveLength(20)
  })
}
