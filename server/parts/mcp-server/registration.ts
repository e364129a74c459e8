import { AUTH_METHODS } from './metadata.ts'

/** @limit redirect URIs of a client */
const REDIRECT_URIS_MAX = 20
/** @limit redirect URI of a client */
const ADDRESS_CHARACTERS_MAX = 2_000
export const NAME_CHARACTERS_MAX = 100

/** A registration error in the format of RFC 7591, 3.2.2. */
export class RegistrationError extends Error {
  override readonly name = 'RegistrationError'
  readonly code: 'invalid_redirect_uri' | 'invalid_client_metadata'
  constructor(code: RegistrationError['code'], message: string) {
    super(message)
    this.code = code
  }
}

/**
 * Reads the supported metadata of a client registration. Drops other metadata, as RFC 7591, 3.2.1 allows, and thus
 * all URLs that the server would have to fetch. Throws a RegistrationError.
 */
export function readRegistration(body: unknown): Record<string, unknown> {
  const metadata = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {}
  const redirectUris = metadata['redirect_uris']
  if (!isAddressList(redirectUris))
    throw new RegistrationError(
      'invalid_redirect_uri',
      `redirect_uris must be a list of 1 to ${REDIRECT_URIS_MAX} URLs`,
    )
  const wrong = redirectUris.find((uri) => !isSafeRedirect(uri))
  if (wrong !== undefined)
    throw new RegistrationError(
      'invalid_redirect_uri',
      `${wrong.slice(0, 100)} is not allowed in redirect_uris. Use https, http on localhost, 127.0.0.1 or [::1], the scheme of a known app, such as cursor: or vscode:, or a private scheme with a dot, such as com.example.app:/callback`,
    )
  const method = metadata['token_endpoint_auth_method'] ?? 'client_secret_basic'
  if (!AUTH_METHODS.some((known) => known === method))
    throw new RegistrationError(
      'invalid_client_metadata',
      `token_endpoint_auth_method must be one of: ${AUTH_METHODS.join(', ')}`,
    )
  const name = metadata['client_name']
  return {
    redirect_uris: redirectUris,
    token_endpoint_auth_method: method,
    application_type: redirectUris.every(isHttps) ? 'web' : 'native',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    ...(typeof name === 'string' && name.trim() !== '' && { client_name: cleanName(name) }),
  }
}

/** Normalizes a client's self-chosen name to one line. */
export const cleanName = (name: string): string =>
  name
    .toWellFormed()
    .replace(/[\p{C}\p{Z}\s]+/gu, ' ')
    .trim()
    .slice(0, NAME_CHARACTERS_MAX)

const isAddressList = (value: unknown): value is string[] =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.length <= REDIRECT_URIS_MAX &&
  value.every((uri) => typeof uri === 'string' && uri.length <= ADDRESS_CHARACTERS_MAX)

const isHttps = (uri: string): boolean => URL.parse(uri)?.protocol === 'https:'

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * Schemes of desktop apps with an MCP client. They contain no dot, although RFC 8252, 7.1 requires one. Schemes of
 * browsers and operating systems contain none either, so only these are accepted.
 */
const KNOWN_APPS = new Set([
  // Editors
  ...['cursor', 'cursor-nightly', 'cursor-preview', 'vscode', 'vscode-insiders', 'vscode-exploration'],
  ...['code-oss', 'vscode-oss', 'vscodium', 'vscodium-insiders', 'codium', 'windsurf', 'windsurf-next'],
  ...['windsurf-insiders', 'visualstudio', 'antigravity', 'augment', 'codebuddy', 'codebuddycn', 'continue'],
  ...['kiro', 'pearai', 'positron', 'qoder', 'trae', 'trae-cn', 'void', 'zed', 'zed-preview', 'zed-nightly'],
  ...['zed-dev', 'theia', 'theia-ide', 'firebase-studio', 'sublime', 'jetbrains', 'jetbrains-gateway'],
  ...['fleet', 'junie', 'idea', 'pycharm', 'webstorm', 'phpstorm', 'goland', 'rider', 'clion', 'rubymine'],
  ...['rustrover', 'datagrip', 'dataspell', 'appcode', 'android-studio', 'androidstudio', 'xcode'],
  ...['eclipse', 'dbeaver'],
  // Assistants and agents
  ...['claude', 'claude-desktop', 'claude-code', 'claude-nightly', 'claude-dev', 'chatgpt', 'openai'],
  ...['codex', 'gemini', 'gemini-cli', 'perplexity', 'comet', 'poe', 'grok', 'mistral', 'lechat', 'le-chat'],
  ...['kimi', 'qwen', 'deepseek', 'copilot', 'ms-copilot', 'github-copilot', 'x-github-client'],
  ...['github-desktop', 'goose', 'opencode', 'crush', 'cline', 'roo-code', 'roo-cline', 'kilo-code'],
  ...['kilocode', 'amp', 'sourcegraph', 'cody', 'tabnine', 'factory', 'factory-desktop', 'devin'],
  ...['conductor', 'zencoder', 'manus', 'dust', 'glean', 'enconvo'],
  // Terminals, chats with own models, and other apps
  ...['warp', 'warppreview', 'warp-preview', 'iterm2', 'raycast', 'raycast-x', 'alfred', 'lmstudio'],
  ...[
    'ollama',
    'cherrystudio',
    'cherry-studio',
    'chatbox',
    'jan',
    'msty',
    'boltai',
    'witsy',
    '5ire',
    'tome',
    'dive',
  ],
  ...['typingmind', 'librechat', 'anythingllm', 'openwebui', 'open-webui', 'chatwise', 'deepchat', 'lobehub'],
  ...['lobe-chat', 'lobechat', 'nextchat', 'mcpjam', 'mcp-inspector', 'smithery', 'n8n', 'dify', 'langflow'],
  ...['flowise', 'obsidian', 'logseq', 'notion', 'linear', 'slack', 'figma', 'craft', 'postman', 'insomnia'],
  ...['bruno', 'hoppscotch', 'yaak', 'apidog', 'docker-desktop', 'dia', 'arc'],
])

/** Matches a private-use URI scheme that is a reversed domain name, so it contains a dot (RFC 8252, 7.1). */
const PRIVATE_USE = /^[a-z][a-z\d+-]*(\.[a-z\d+-]+)+:$/

/**
 * Matches the characters of an absolute URI without a fragment (RFC 3986, 2). Parsers disagree about other
 * characters, such as backslashes and line breaks.
 */
const URI_CHARACTERS = /^[\w\-.~:/?[\]@!$&'()*+,;=%]+$/

/**
 * True if an authorization code may be sent to this URI: HTTPS, HTTP on loopback, or a private-use scheme of an app
 * (OAuth 2.1, 2.3.1 and 8.4).
 */
export function isSafeRedirect(uri: string): boolean {
  const url = URL.parse(uri)
  if (url === null || !URI_CHARACTERS.test(uri) || url.username !== '' || url.password !== '') return false
  if (url.protocol === 'http:') return LOOPBACK.has(url.hostname)
  return (
    url.protocol === 'https:' || PRIVATE_USE.test(url.protocol) || KNOWN_APPS.has(url.protocol.slice(0, -1))
  )
}
