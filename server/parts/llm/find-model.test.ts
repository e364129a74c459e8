import { expect, test } from 'vitest'
import { readConfig } from '#config'
import { resolve, type StoredModel, targetOf } from './find-model.ts'

/** The operator's addresses and keys. They must never be used for a tenant's model. */
const config = readConfig({
  OLLAMA_BASE_URL: 'http://10.0.0.9:11434',
  OPENAI_BASE_URL: 'http://10.0.0.9/v1',
  OPENAI_API_KEY: 'sk-operator',
})
const secrets = { decrypt: (text: string) => text }

const PUBLIC = 'https://api.openai.com/v1'

test("a model named in a request uses its provider's public address", () => {
  const given = { provider: 'openai', model: 'gpt-5', apiKey: 'sk-tenant', baseUrl: undefined } as const
  expect(targetOf(given)).toEqual({
    provider: 'openai',
    model: 'gpt-5',
    baseUrl: PUBLIC,
    apiKey: 'sk-tenant',
    guarded: true,
  })
})

test("a tenant's model uses its own or the provider's public address, behind the network guard", () => {
  const row: StoredModel = {
    id: 'a',
    organizationId: 'b',
    name: 'n',
    provider: 'openai',
    version: 'gpt-5',
    isActive: true,
    config: {},
    apiKey: 'sk-tenant',
    connection: null,
    members: null,
  }
  const target = (more: Partial<StoredModel>) =>
    resolve({ config, secrets }, { ...row, ...more }, 'b').members[0].target
  expect(target({})).toMatchObject({ baseUrl: PUBLIC, apiKey: 'sk-tenant', guarded: true })
  expect(target({ config: { base_url: 'http://10.0.0.9/v1' } })).toMatchObject({ guarded: true, owner: 'b' })
  const connection = { id: 'c', apiKey: 'sk-connected', baseUrl: null }
  expect(target({ apiKey: null, connection })).toMatchObject({ baseUrl: PUBLIC, apiKey: 'sk-connected' })
  expect(() => target({ provider: 'ollama' })).toThrow('not configured')
  expect(() => target({ apiKey: null })).toThrow('not configured')
})
