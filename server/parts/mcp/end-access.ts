import type { McpDependencies } from './dependencies.ts'
import { failureSentence } from './failure-sentence.ts'
import type { Credentials } from './stored-credentials.ts'

/** How long a provider may take to end an access. */
const REVOKE_TIMEOUT_MS = 10_000

/**
 * Has the provider end an access (RFC 7009, or Composio's account). Null: done, or there is nothing to end; else a
 * sentence that says why not. Never throws.
 */
export async function endAccess(
  { authorizer, composio, log }: McpDependencies,
  { credentials, accountId }: { credentials: Credentials | null; accountId: string | null },
): Promise<string | null> {
  const signal = AbortSignal.timeout(REVOKE_TIMEOUT_MS)
  try {
    if (credentials?.type === 'oauth') await authorizer.revoke(credentials.grant, signal)
    if (accountId === null) return null
    if (composio === null) return 'Composio is not configured on this server (COMPOSIO_API_KEY)'
    await composio.deleteAccount(accountId, signal)
    return null
  } catch (error) {
    log.warn({ err: error }, 'a provider did not end an access')
    return failureSentence(error) ?? 'The provider did not answer as it should.'
  }
}
