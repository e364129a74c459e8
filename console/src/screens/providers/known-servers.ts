/** A server with OpenAI's API that many people use. */
export interface KnownServer {
  name: string
  /** The name of its logo (console/logos.ts). */
  logo: string
  baseUrl: string
  /** The page on which users create a key. Null if the server usually needs none. */
  keysPage: string | null
}

export const KNOWN_SERVERS: readonly KnownServer[] = [
  {
    name: 'Mistral',
    logo: 'mistral',
    baseUrl: 'https://api.mistral.ai/v1',
    keysPage: 'https://console.mistral.ai/api-keys',
  },
  {
    name: 'Groq',
    logo: 'groq',
    baseUrl: 'https://api.groq.com/openai/v1',
    keysPage: 'https://console.groq.com/keys',
  },
  {
    name: 'OpenRouter',
    logo: 'openrouter',
    baseUrl: 'https://openrouter.ai/api/v1',
    keysPage: 'https://openrouter.ai/settings/keys',
  },
  {
    name: 'xAI',
    logo: 'xai',
    baseUrl: 'https://api.x.ai/v1',
    keysPage: 'https://console.x.ai',
  },
  {
    name: 'Together AI',
    logo: 'together',
    baseUrl: 'https://api.together.xyz/v1',
    keysPage: 'https://api.together.ai/settings/api-keys',
  },
  {
    name: 'Fireworks AI',
    logo: 'fireworks',
    baseUrl: 'https://api.fireworks.ai/inference/v1',
    keysPage: 'https://app.fireworks.ai/settings/users/api-keys',
  },
  { name: 'vLLM', logo: 'vllm', baseUrl: 'http://localhost:8000/v1', keysPage: null },
  { name: 'LM Studio', logo: 'lmstudio', baseUrl: 'http://localhost:1234/v1', keysPage: null },
]

/** Returns the known server at a base URL. */
export function knownServerAt(baseUrl: string): KnownServer | undefined {
  const host = URL.parse(baseUrl)?.host
  return KNOWN_SERVERS.find((server) => new URL(server.baseUrl).host === host)
}

/** Azure gives each customer a host of their own. */
const AZURE = /^https:\/\/[^/]+\.azure\.com(?:\/|$)/

/** Returns the logo of the server at a base URL. Returns undefined for other servers. */
export const logoOfServer = (baseUrl: string | null = ''): string | undefined =>
  AZURE.test(baseUrl ?? '') ? 'azure' : knownServerAt(baseUrl ?? '')?.logo
