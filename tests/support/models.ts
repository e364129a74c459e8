import type { Client, Person } from './client.ts'
import type { EmulatedProvider } from './provider/index.ts'

/** Signs up a user with a model of the emulated provider. `version` selects the behavior of the model. */
export async function signUpWithModel(
  client: Client,
  provider: EmulatedProvider,
  version: string,
  config: object = {},
): Promise<{ person: Person; modelId: string }> {
  const person = await client.signUp()
  const modelId = await client.addModel(person, {
    provider: 'openai-compatible',
    version,
    config: { base_url: `${provider.url}/v1`, api_key: 'k', ...config },
  })
  return { person, modelId }
}
