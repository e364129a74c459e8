import type { McpServerRecord, NewMcpAuthConfig, NewMcpServer } from '@parley/client/schemas'

export interface ServerEdits {
  name: string
  slug: string
  description: string
  url: string
  /** The authentication type. If empty, users cannot connect. */
  type: NewMcpAuthConfig['type'] | ''
  client_id: string
  /** The new client secret. The stored secret cannot be read; an empty string keeps it. */
  client_secret: string
  scopes: string
  authorization_url: string
  token_url: string
  header: string
  auth_config_id: string
}

export const NEW_SERVER: ServerEdits = {
  name: '',
  slug: '',
  description: '',
  url: '',
  type: 'oauth',
  client_id: '',
  client_secret: '',
  scopes: '',
  authorization_url: '',
  token_url: '',
  header: 'Authorization',
  auth_config_id: '',
}

export function editsOf({ name, toolkit_slug, description, url, auth_config }: McpServerRecord): ServerEdits {
  const { type = '', ...fields } = auth_config ?? {}
  return { ...NEW_SERVER, name, slug: toolkit_slug, description, url, ...fields, type }
}

const FIELDS = {
  none: [],
  oauth: ['client_id', 'client_secret', 'scopes', 'authorization_url', 'token_url'],
  api_key: ['header'],
  composio: ['auth_config_id'],
} as const

export function serverOf(edits: ServerEdits): NewMcpServer {
  const { name, slug, description, url } = edits
  return {
    name,
    toolkit_name: name,
    toolkit_slug: slug,
    description,
    url: url.trim(),
    auth_config: edits.type === '' ? null : authConfigOf(edits.type, edits),
  }
}

function authConfigOf(type: NewMcpAuthConfig['type'], edits: ServerEdits): NewMcpAuthConfig {
  const filled = FIELDS[type].map((name) => [name, edits[name].trim()]).filter(([, text]) => text !== '')
  return { type, ...Object.fromEntries(filled) }
}

/** Derives a slug from a name: lowercase ASCII letters, digits and hyphens, at most 50 characters. */
export const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 50)
