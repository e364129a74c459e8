import { expect } from 'vitest'
import { createModels } from '#platform/models/index.ts'
import { balanceOf, ledgerOf, titlesBilled } from './chats.ts'
import type { Person, StreamEvent } from './client.ts'
import { createExampleNet } from './provider/example-net.ts'
import { startProvider } from './provider/index.ts'
import { startTestServer } from './server.ts'
import { administratorToken } from './tenants.ts'

export const PROMPT = 'A fox in the snow'
export const MEDIA_TIMEOUTS = { imageMs: 10_000, videoMs: 10_000, transcriptionMs: 10_000, pollMs: 30 }

const BASES = { openai: '/v1', google: '/v1beta', 'openai-compatible': '/v1', demo: '' }
type Maker = keyof typeof BASES

interface Artist {
  person: Person
  modelId: string
}

export type Studio = Awaited<ReturnType<typeof openStudio>>

/**
 * Starts a server with image and video models at an emulated provider. The server polls videos at a short interval.
 */
export async function openStudio() {
  const net = createExampleNet()
  const provider = await startProvider()
  const server = await startTestServer()
  const { services } = server.server
  services.models = createModels({ net, mediaTimeouts: MEDIA_TIMEOUTS })

  async function personWith(
    maker: Maker,
    version: string,
    config: Record<string, unknown> = {},
  ): Promise<Artist> {
    const person = await server.signUp()
    const place = { base_url: provider.url + BASES[maker], api_key: 'key-of-a-tenant' }
    const modelId = await server.addModel(person, {
      provider: maker,
      version,
      config: { ...(maker !== 'demo' && place), ...config },
    })
    return { person, modelId }
  }

  return {
    server,
    provider,
    net,
    personWith,
    imageModel: (rest = '') => personWith('openai', `gpt-image-emu${rest}`),
    videoModel: (rest = '') => personWith('google', `veo-emu${rest}`),
    send: ({ person, modelId }: Artist, content = PROMPT, query = {}) =>
      server.say(person, { model_id: modelId, ...query }, { content }),
    async bytesAt(url: string): Promise<Buffer> {
      const response = await fetch(url.replace('http://parley.test', server.url))
      expect(response.status).toBe(200)
      return Buffer.from(await response.arrayBuffer())
    },
    /** Returns the bytes that count toward the storage quota of an organization. */
    async storedBytes({ organizationId }: Person): Promise<number> {
      const [row] = await services.database.sql`
        select stored_bytes from organizations where id = ${organizationId}`
      return Number(row?.['stored_bytes'])
    },
    async setFeatures({ organizationId }: Person, body: object): Promise<void> {
      const token = await administratorToken(server)
      const path = `/api/org/features?org_id=${organizationId}`
      expect((await server.call('PUT', path, { token, body })).status).toBe(200)
    },
    /** Expects that no holds are open and that the balance is the sum of the ledger. */
    async expectSettled(person: Person): Promise<void> {
      const read = async () => {
        const entries = [...(await ledgerOf(server, person)), ...(await titlesBilled(server, person))]
        const { held, balance } = await balanceOf(server, person)
        return { held, unpaid: balance - entries.reduce((sum, { amount }) => sum + amount, 0) }
      }
      await expect.poll(read).toEqual({ held: 0, unpaid: 1_000_000 })
    },
    async close(): Promise<void> {
      await server.stop()
      await provider.close()
      await net.close()
    },
  }
}

export const dataOf = (events: StreamEvent[]) => events.map(({ data }) => data)

export const mediaOf = (events: StreamEvent[]) =>
  dataOf(events).flatMap(({ media }) => (media ? [media as Record<string, unknown>] : []))
