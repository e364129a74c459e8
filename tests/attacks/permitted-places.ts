/** Permits kinds of secrets in places that must contain them in plain text. */
export interface Permission {
  kinds: readonly string[]
  places: RegExp
  because: string
}

const SIGN_INS =
  /^answer to POST \/api\/auth\/(signup|signup_invite|login|verify_second_factor|magic_link\/accept|oidc\/exchange|refresh)$/

/** All permissions. The row fails if a permission is never used. */
export const PERMITTED: readonly Permission[] = [
  { kinds: ['access token', 'refresh token'], places: SIGN_INS, because: 'Whoever signs in gets them.' },
  {
    kinds: ['mailed token', 'invitation token'],
    places: /^mail$/,
    because: 'The link that proves an address.',
  },
  {
    kinds: ['invitation token'],
    places: /^answer to POST \/api\/invitations\/create$/,
    because: 'The inviter may pass the link on.',
  },
  {
    kinds: ['TOTP secret'],
    places: /^answer to POST \/api\/auth\/totp\/begin$/,
    because: 'The app is set up with it.',
  },
  { kinds: ['recovery code'], places: /^answer to POST \/api\/auth\/totp\/confirm$/, because: 'Shown once.' },
  {
    kinds: ['challenge'],
    places: /^error of POST \/api\/auth\/login$/,
    because: 'The second step shows it.',
  },
  {
    kinds: ['OIDC code'],
    places: /^answer to GET \/api\/auth\/oidc\/callback$/,
    because: 'The redirect to the console, which exchanges it in the same browser.',
  },
  { kinds: ['API key'], places: /^answer to POST \/api\/api_keys\/create$/, because: 'Shown once.' },
  {
    kinds: ['deployment key'],
    places: /^answer to POST \/api\/agent_deploy\/(create|regenerate_key)$/,
    because: 'Shown once.',
  },
  {
    kinds: ['visitor token'],
    places: /^answer to POST \/api\/agent_deploy\/create_visitor$/,
    because: 'The visitor gets it.',
  },
  {
    kinds: ['webhook secret'],
    places: /^answer to POST \/api\/webhooks\/(create|rotate_secret)$/,
    because: 'Shown once, to whoever verifies deliveries.',
  },
  {
    kinds: ['provider key', "operator's provider key"],
    places: /^headers to a provider$/,
    because: 'The provider that it is for.',
  },
  { kinds: ['MCP key'], places: /^headers to an MCP server$/, because: 'The server that it is for.' },
  {
    kinds: ['Idempotency-Key'],
    places: /^table public.idempotent_requests$/,
    because: 'It names a request.',
  },
  {
    kinds: ['misplaced name'],
    places: /^error of/,
    because: 'An error names a field that nobody knows, in up to 100 characters, to whoever sent it.',
  },
  {
    kinds: ['signature of a file'],
    places: /^answer to (POST \/api\/chat\/upload_file|GET \/api\/chat)$/,
    because: 'The address is what opens the file.',
  },
  {
    kinds: ['signature of a gateway'],
    places: /^answer to POST \/api\/mcp\/generate_url$/,
    because: 'The address is what opens the gateway.',
  },
  {
    kinds: ['state of a connection'],
    places: /^(answer to POST \/api\/mcp\/connect_account|paths of an MCP server)$/,
    because: 'It goes to the provider and back with the browser.',
  },
  {
    kinds: ['address of a webhook'],
    places:
      /^(table public\.(webhook_endpoints|audit_entries)|answer to \w+ \/api\/(webhooks|audit)\/.*|request to a provider|export of an organization .*)$/,
    because: 'Members who manage webhooks see addresses. Those with secrets belong into headers.',
  },
  {
    kinds: ['OAuth code'],
    places: /^answer to GET \/mcp\/oauth\/authorize\/:id$/,
    because: 'The redirect to the client.',
  },
  {
    kinds: ['OAuth access token', 'OAuth refresh token'],
    places: /^answer to POST \/mcp\/oauth\/token$/,
    because: 'The client gets them.',
  },
  {
    kinds: ['private text'],
    places: /^(table|file|request to a provider|export of|answer to)/,
    because: 'Stored and shown to its owner, and sent to the model that they chose.',
  },
]

/** Returns the permission of a kind of secret in a place, or undefined if there is none. */
export const findPermission = (kind: string, place: string): Permission | undefined =>
  PERMITTED.find(({ kinds, places }) => kinds.includes(kind) && places.test(place))
