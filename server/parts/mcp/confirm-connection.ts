import { fail } from '#errors'
import type { Caller } from '#platform/access/scope.ts'
import { findHeld, type HeldAttempt, takeHeld } from './attempts.ts'
import type { McpDependencies } from './dependencies.ts'
import { finishConnection } from './finish-connection.ts'
import type { ConfirmedConnection, PendingConnection } from './schemas.ts'

/**
 * Describes a connection that waits for its user, to anyone signed in who has the ticket: of the user who began no more
 * than lets them recognize their own address. Throws mcp.attempt_gone.
 */
export async function describePending(
  deps: McpDependencies,
  caller: Caller,
  ticket: string,
): Promise<PendingConnection> {
  const { userId, email, serverName, toolkitLogo, expiresAt } = await find(deps, ticket)
  return {
    server_name: serverName,
    toolkit_logo: toolkitLogo,
    started_by: maskEmail(email),
    is_yours: userId === caller.userId,
    expires_at: new Date(expiresAt).toISOString(),
  }
}

/**
 * Finishes a connection for the user who began it, once. Throws mcp.attempt_gone, mcp.attempt_of_another, and
 * mcp.connect_failed with the reason, after which the attempt is gone too.
 */
export async function confirmConnection(
  deps: McpDependencies,
  caller: Caller,
  ticket: string,
): Promise<ConfirmedConnection> {
  if ((await find(deps, ticket)).userId !== caller.userId) throw fail('mcp.attempt_of_another')
  const claimed = await takeHeld(deps, ticket, caller.userId)
  if (claimed === null) throw fail('mcp.attempt_gone')
  const { attempt, answer } = claimed
  const failure = await finishConnection(deps, caller.client, attempt, answer)
  if (failure !== null) throw fail('mcp.connect_failed', { reason: failure })
  return {
    status: 'active',
    mcp_server_id: attempt.serverId,
    mcp_session_id: attempt.instanceId,
    flow_type: attempt.flowType,
  }
}

async function find(deps: McpDependencies, ticket: string): Promise<HeldAttempt> {
  const held = await findHeld(deps, ticket)
  if (held === null) throw fail('mcp.attempt_gone')
  return held
}

/** `ada@example.com` as `a•••@example.com`: always three dots, so that it tells no length. */
function maskEmail(email: string): string {
  const at = email.lastIndexOf('@')
  return `${[...email][0] ?? ''}•••${email.slice(at)}`
}
