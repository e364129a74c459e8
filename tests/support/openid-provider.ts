import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import Provider from 'oidc-provider'
import { findFreePort } from './free-port.ts'

export interface OpenidAccount {
  id: string
  email?: string
  email_verified?: boolean
  given_name?: string
  family_name?: string
}

export interface OpenidProvider {
  issuer: string
  /** The account that is signed in at the provider. The provider shows no prompt. */
  account: OpenidAccount
  close(): Promise<void>
}

export const OPENID_CLIENT = { id: 'parley', secret: 'a-client-secret-of-some-length' }

/** Starts a real OpenID provider on loopback. It has one client and requires PKCE. */
export async function startOpenidProvider(redirectUri: string): Promise<OpenidProvider> {
  const port = await findFreePort()
  const issuer = `http://127.0.0.1:${port}`
  const state: OpenidProvider = {
    issuer,
    account: { id: 'nobody' },
    close: () =>
      new Promise((resolve) => {
        http.close(() => resolve())
        http.closeAllConnections()
      }),
  }
  const provider = new Provider(issuer, {
    clients: [
      { client_id: OPENID_CLIENT.id, client_secret: OPENID_CLIENT.secret, redirect_uris: [redirectUri] },
    ],
    pkce: { required: () => true },
    cookies: { keys: ['a key of the test'] },
    jwks: {
      keys: [generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' })],
    },
    ttl: { AccessToken: 600, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    features: { devInteractions: { enabled: false } },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['given_name', 'family_name'] },
    interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
    findAccount: (_context, id) => ({
      accountId: id,
      claims: async () => {
        const { id: sub, ...claims } = state.account
        return { ...claims, sub }
      },
    }),
    async loadExistingGrant(context) {
      const { client, session } = context.oidc
      const grant = new provider.Grant({
        clientId: client?.clientId ?? '',
        accountId: session?.accountId ?? '',
      })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
  })
  const handle = provider.callback()
  const http = createServer(async (request, response) => {
    if (!request.url?.startsWith('/interaction/')) return handle(request, response)
    await provider.interactionFinished(request, response, { login: { accountId: state.account.id } })
  })
  await new Promise<void>((resolve) => http.listen(port, '127.0.0.1', resolve))
  return state
}
