import type { IncomingMessage, ServerResponse } from 'node:http'
import type { InteractionResults, Provider } from 'oidc-provider'
import { fail } from '#errors'
import type { Credential } from '#platform/access/credentials.ts'
import type { Permission } from '#platform/access/permissions.ts'
import type { Client } from '#platform/access/scope.ts'
import type { Services } from '#platform/services.ts'
import { createClientKey } from '../api-keys/index.ts'
import type { ConsentRequest } from './consent-page.ts'
import { resourceOf, SCOPE } from './metadata.ts'
import type { OAuthRecords } from './oauth-records-system.ts'
import { cleanName, NAME_CHARACTERS_MAX } from './registration.ts'

/** Maximum permissions of an app: the permissions that /mcp uses. */
const PERMISSIONS: readonly Permission[] = ['agent:read', 'agent:execute', 'kb:read', 'chats:read']
const UNNAMED = 'An app'

/** A browser's HTTP request and response. The request's cookie proves that this browser started the authorization. */
export interface Exchange {
  request: IncomingMessage
  response: ServerResponse
  /** Id of the consent request, from the page's URL. */
  id: string
}

/**
 * Handles a user's decision to allow or deny an app access. Each consent request accepts one decision, from the
 * browser that started the authorization.
 */
export class Consent {
  readonly #services: Pick<Services, 'access' | 'config'>
  readonly #records: OAuthRecords
  readonly #open: () => Promise<Provider>

  constructor(
    services: Pick<Services, 'access' | 'config'>,
    records: OAuthRecords,
    open: () => Promise<Provider>,
  ) {
    this.#services = services
    this.#records = records
    this.#open = open
  }

  /** Returns the consent request for the page. Throws oauth.consent_gone. */
  async describe(exchange: Exchange): Promise<ConsentRequest> {
    const { clientId, redirectUri } = await this.#find(exchange)
    return {
      id: exchange.id,
      clientName: await this.#nameOf(clientId),
      destination: destinationOf(redirectUri),
    }
  }

  /**
   * Allows access: creates an API key for the user in the organization, and a grant with this key for the app.
   * Returns where the browser continues. Throws oauth.consent_gone, access.session_needed, oauth.nothing_allowed.
   */
  async allow(
    exchange: Exchange,
    who: { credential: Credential; client: Client },
    organizationId: string,
  ): Promise<{ location: string }> {
    const { clientId } = await this.#find(exchange)
    if (who.credential.kind !== 'session') throw fail('access.session_needed')
    const opened = await Promise.all(
      PERMISSIONS.map(async (permission) => {
        const { scopes } = await this.#services.access.openScopes(permission, {
          ...who,
          allowedWhileSuspended: false,
        })
        return scopes.find((scope) => scope.organizationId === organizationId)
      }),
    )
    const scope = opened.find((found) => found !== undefined)
    if (!scope) throw fail('oauth.nothing_allowed')
    const name = `MCP: ${await this.#nameOf(clientId)}`.slice(0, NAME_CHARACTERS_MAX)
    await this.#take(exchange)
    const key = await createClientKey(scope, { name, permissions: PERMISSIONS.filter(scope.holds) })
    const provider = await this.#open()
    const grant = new provider.Grant({ accountId: key.id, clientId })
    grant.addResourceScope(resourceOf(this.#services.config.baseUrl), SCOPE)
    const grantId = await grant.save()
    return this.#end(exchange, { login: { accountId: key.id, remember: false }, consent: { grantId } })
  }

  /** Denies access. Returns where the browser continues. Throws oauth.consent_gone. */
  async deny(exchange: Exchange): Promise<{ location: string }> {
    await this.#find(exchange)
    await this.#take(exchange)
    return this.#end(exchange, { error: 'access_denied', error_description: 'The user denied access' })
  }

  async #find({ request, response, id }: Exchange): Promise<{ clientId: string; redirectUri: string }> {
    const provider = await this.#open()
    const stored = await this.#records.find('Interaction', id)
    if (!stored || stored['consumed'] !== undefined) throw fail('oauth.consent_gone')
    const interaction = await provider.interactionDetails(request, response).catch((error: unknown) => {
      throw fail('oauth.consent_gone', {}, { cause: error })
    })
    if (interaction.uid !== id) throw fail('oauth.consent_gone')
    const { client_id: clientId, redirect_uri: redirectUri } = interaction.params
    return { clientId: String(clientId), redirectUri: String(redirectUri) }
  }

  async #take({ id }: Exchange): Promise<void> {
    if (!(await this.#records.consume('Interaction', id))) throw fail('oauth.consent_gone')
  }

  async #end({ request, response }: Exchange, result: InteractionResults): Promise<{ location: string }> {
    const provider = await this.#open()
    const options = { mergeWithLastSubmission: false }
    return { location: await provider.interactionResult(request, response, result, options) }
  }

  async #nameOf(clientId: string): Promise<string> {
    const client = await (await this.#open()).Client.find(clientId)
    if (!client) throw fail('oauth.consent_gone')
    return cleanName(client.clientName ?? '') || URL.parse(clientId)?.host || UNNAMED
  }
}

/** Describes the destination of a redirect for the user. */
function destinationOf(redirectUri: string): string {
  const { protocol, host, hostname } = new URL(redirectUri)
  if (protocol === 'https:') return host
  return protocol === 'http:' ? `an app on this device (${hostname})` : `the app ${protocol}//`
}
