import type { Config, KeyedProvider } from '#config'
import { sentence } from '#errors'
import { environmentAddress, environmentProviders } from '#parts/llm/index.ts'
import { createModels, type Models } from '#platform/models/index.ts'
import type { Provider } from '#platform/models/types.ts'
import { type Check, type Finding, ok, problem, warning } from './check.ts'

const CONNECT_TIMEOUT_MS = 4_000
const VARIABLES: Record<KeyedProvider, string> = {
  openai: 'OPENAI',
  anthropic: 'ANTHROPIC',
  google: 'GEMINI',
  deepseek: 'DEEPSEEK',
}

/** Lists the models of each provider in the environment, which costs nothing and requires a valid key. */
export const providersCheck: Check = {
  name: 'providers',
  async run({ config, net }) {
    const providers = environmentProviders({ config })
    if (providers[0] === 'demo')
      return [
        warning(
          'No provider is configured, so only the demo models answer. Set OPENAI_API_KEY or another key.',
        ),
      ]
    const timeouts = {
      connectMs: CONNECT_TIMEOUT_MS,
      firstTokenMs: CONNECT_TIMEOUT_MS,
      betweenTokensMs: CONNECT_TIMEOUT_MS,
    }
    const models = createModels({ net, timeouts })
    return Promise.all(providers.map((provider) => checkProvider(config, models, provider)))
  },
}

async function checkProvider(config: Config, models: Models, provider: Provider): Promise<Finding> {
  const name: string = VARIABLES[provider as KeyedProvider] ?? 'OLLAMA'
  try {
    const target = { provider, model: '', ...environmentAddress({ config }, provider) }
    const found = await models.listModels(target)
    return found.length > 0
      ? ok(`${provider} lists ${found.length} models`)
      : warning(`${provider} lists no models. Check ${name}_BASE_URL.`)
  } catch (error) {
    const { message } = error as Error
    if (refusals(provider).includes(message))
      return problem(`${provider} rejected the key. Check ${name}_API_KEY and its permissions.`)
    return warning(
      `${provider} did not list its models: ${message} The variables are ${name}_API_KEY and ${name}_BASE_URL.`,
    )
  }
}

/** The messages for a wrong key. Gemini answers 400. */
const refusals = (provider: string): string[] => [
  sentence('model.key_refused', { provider }),
  sentence('model.forbidden', { provider, model: 'its list of models' }),
  sentence('model.refused', { provider, status: 400 }),
]
