// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the edits quote source text
import type { Break } from './row.ts'

const AUTHORIZATION_SERVER = 'server/parts/mcp-server/authorization-server.ts'
const ATTEMPTS = 'server/parts/mcp/attempts-system.ts'
const OIDC = 'server/parts/auth/oidc-system.ts'
const OIDC_PROVIDER = 'server/parts/auth/oidc-provider.ts'
const MAILED_LINKS = 'server/parts/auth/mailed-links-system.ts'

/**
 * Breaks for the row `oauth`. Each removes one defense of the authorization server, of the OAuth client or of OpenID
 * sign-in.
 */
export const OAUTH_BREAKS: readonly Break[] = [
  {
    without: 'PKCE',
    edits: [
      {
        file: AUTHORIZATION_SERVER,
        text: 'pkce: { required: () => true }',
        replacement: 'pkce: { required: () => false }',
      },
    ],
  },
  {
    without: 'the check for registered redirect URIs',
    edits: [
      {
        file: AUTHORIZATION_SERVER,
        text: '  provider.proxy = true\n',
        replacement: '  provider.proxy = true\n  provider.Client.prototype.redirectUriAllowed = () => true\n',
      },
    ],
  },
  {
    without: 'the rules for redirect URIs',
    edits: [
      {
        file: 'server/parts/mcp-server/registration.ts',
        text: "  return (\n    url.protocol === 'https:' ||",
        replacement: '  return (\n    true ||',
      },
    ],
  },
  {
    without: 'error pages without a redirect',
    edits: [
      {
        file: AUTHORIZATION_SERVER,
        text: "if (oidc.route !== 'resume') error.allow_redirect = false",
        replacement: '',
      },
    ],
  },
  {
    without: 'the single use of codes and refresh tokens',
    edits: [
      {
        file: AUTHORIZATION_SERVER,
        text: 'if (!(await records.consume(kind, id))) throw refusals.alreadyUsed()',
        replacement: '',
      },
    ],
  },
  {
    without: 'the rotation of refresh tokens',
    edits: [
      {
        file: AUTHORIZATION_SERVER,
        text: 'rotateRefreshToken: true',
        replacement: 'rotateRefreshToken: false',
      },
    ],
  },
  {
    without: 'the revocation of all tokens of a replayed one',
    edits: [
      {
        file: AUTHORIZATION_SERVER,
        text: 'destroy: (id) => records.remove(kind, id, clientOf()),\n    revokeByGrantId: (grantId) => records.removeOfGrant(kind, grantId),',
        replacement: 'destroy: async () => {},',
      },
    ],
  },
  {
    without: 'the audience of tokens',
    edits: [
      {
        file: AUTHORIZATION_SERVER,
        text: 'if (asked !== resource) throw new errors.InvalidTarget()',
        replacement: '',
      },
    ],
  },
  {
    without: 'the binding of a consent to its browser',
    edits: [
      {
        file: 'server/parts/mcp-server/consent.ts',
        text: "if (interaction.uid !== id) throw fail('oauth.consent_gone')",
        replacement: '',
      },
    ],
  },
  {
    without: 'the frame protection of the consent page',
    edits: [
      { file: 'server/parts/mcp-server/consent-page.ts', text: "frame-ancestors 'none'; ", replacement: '' },
    ],
  },
  {
    without: 'the address check for client documents',
    edits: [
      {
        file: 'server/platform/net/addresses.ts',
        text: "if (parsed.range() !== 'unicast') return false",
        replacement: 'return true',
      },
    ],
  },
  {
    without: 'the binding of a connection to its browser',
    edits: [{ file: ATTEMPTS, text: ' and a.cookie_hash = ${cookieHash}', replacement: '' }],
  },
  {
    without: 'the binding of a connection to its session',
    edits: [
      {
        file: ATTEMPTS,
        text: 'and exists (select from sessions s where s.id = a.session_id and s.user_id = a.user_id and ${liveSession(sql)})',
        replacement: '',
      },
    ],
  },
  {
    without: 'the check of the user who confirms a connection',
    edits: [
      {
        file: 'server/parts/mcp/callback.ts',
        text: "if ((await find(deps, ticket)).userId !== caller.userId) throw fail('mcp.attempt_of_another')",
        replacement: '',
      },
      { file: ATTEMPTS, text: ' and a.user_id = ${userId}', replacement: '' },
    ],
  },
  {
    without: 'the issuer of an authorization response',
    edits: [
      {
        file: 'server/platform/mcp/authorization-steps.ts',
        text: `  validateAuthorizationResponseIssuer({
    iss: isSame ? expectedIss : answer.iss,
    expectedIssuer: expectedIss ?? undefined,
    issParameterSupported: pending.isIssDemanded,
  })
`,
        replacement: '',
      },
    ],
  },
  {
    without: 'the binding of a sign-in to its browser',
    edits: [{ file: OIDC, text: ' and browser_hash = ${hashToken(browser)}', replacement: '' }],
  },
  {
    without: 'the binding of a sign-in code to its browser',
    edits: [
      {
        file: MAILED_LINKS,
        text: 'select ${hashToken(token + holder)}',
        replacement: 'select ${hashToken(token)}',
      },
      {
        file: MAILED_LINKS,
        text: 'token_hash = ${hashToken(token + holder)}',
        replacement: 'token_hash = ${hashToken(token)}',
      },
      { file: OIDC, text: "if (browser === null) throw fail('auth.link_gone')", replacement: '' },
    ],
  },
  {
    without: 'the signature of ID tokens',
    edits: [
      {
        file: OIDC_PROVIDER,
        text: 'execute: [enableNonRepudiationChecks, ...',
        replacement: 'execute: [...',
      },
    ],
  },
  {
    without: 'the nonce of ID tokens',
    edits: [
      { file: OIDC_PROVIDER, text: '      state,\n      nonce,\n', replacement: '      state,\n' },
      { file: OIDC_PROVIDER, text: '      expectedNonce: pending.nonce,\n', replacement: '' },
    ],
  },
  {
    without: 'the authorized party of ID tokens',
    edits: [{ file: OIDC_PROVIDER, text: 'this.#check(claims)', replacement: '' }],
  },
  {
    without: 'the check for a verified address',
    edits: [
      { file: OIDC, text: 'if (email === null || !emailVerified)', replacement: 'if (email === null)' },
    ],
  },
  {
    without: 'the revocation of access older than the proof of an address',
    edits: [
      {
        file: OIDC,
        text: 'if (known?.registered) await proveAddress(this.#services, tx, client, user.id, null)',
        replacement: '',
      },
    ],
  },
]
