import { fail } from '#errors'
import type { Client } from '#platform/access/scope.ts'
import type { Redirect } from '#platform/http/define-route.ts'
import { clearAttemptCookie, readAttemptCookie } from './attempt-cookie.ts'
import { type Attempt, holdAnswer, takeByCookie } from './attempts.ts'
import type { McpDependencies } from './dependencies.ts'
import { finishConnection } from './finish-connection.ts'
import type { CallbackQuery } from './schemas.ts'

/** The console's page on which a user confirms what they have begun in another browser, or with a program. */
const CONFIRM_PAGE = '/connections/confirm'

/**
 * Handles a browser that comes back from where connect_account sent it. The browser that began, by its cookie and while
 * its session lives, finishes at once and goes on to the console, with the reason where it failed. In any other browser
 * nothing is exchanged: the provider's answer is kept, and the user who began has to sign in and confirm. Otherwise
 * somebody could begin, send the provider's address to another person, and get that person's account. Throws
 * mcp.state_invalid for a state that is unknown, used, expired, or doesn't fit the ids beside it.
 */
export async function returnFromProvider(
  deps: McpDependencies,
  client: Client,
  query: CallbackQuery,
  cookies: string | undefined,
): Promise<Redirect> {
  const { config } = deps
  const state = query.state ?? ''
  const cookieHash = readAttemptCookie(config, state, cookies)
  const attempt = cookieHash === null ? null : await takeByCookie(deps, query, cookieHash)
  const headers = {
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
    ...(cookieHash !== null && { 'Set-Cookie': clearAttemptCookie(config, state) }),
  }
  if (attempt === null) {
    const ticket = await holdAnswer(deps, query)
    if (ticket === null) throw fail('mcp.state_invalid')
    // In the fragment, which browsers send to no server: no log has it.
    return { status: 303, location: `${config.frontendUrl}${CONFIRM_PAGE}#${ticket}`, headers }
  }
  const failure = await finishConnection(deps, client, attempt, query)
  const parameters = new URLSearchParams({
    ...returnParameters(attempt),
    ...(failure !== null && { error: failure }),
  })
  return { location: `${config.frontendUrl}/mcp/callback?${parameters}`, headers }
}

const returnParameters = ({ serverId, instanceId, flowType }: Attempt) => ({
  mcp_server_id: serverId,
  mcp_session_id: instanceId,
  ...(flowType !== null && { flow_type: flowType }),
})
