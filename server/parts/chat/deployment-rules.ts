import { onForeignKeyViolation } from '#database/sql-state.ts'
import { AppError, fail } from '#errors'
import type { OpenDeployment } from '#platform/access/scope.ts'

/*
 * Rules for turns that a deployment sends (contract, 10), except its daily message limit
 * (platform/limits/daily-messages.ts). Null stands for a member's turn, to which no rule applies. All visitors of
 * a deployment share one user; the deployment's key acts for all of them.
 */

type Deployment = OpenDeployment | null

/** True if the sender is a visitor and not the holder of the deployment's key. */
export const isVisitor = (deployment: Deployment): boolean =>
  deployment !== null && deployment.visitorId !== null

/**
 * Scopes idempotency keys to the visitor. Keys contain no space, so a visitor cannot forge another visitor's key.
 */
export const keyPerVisitor = ({ visitorId }: OpenDeployment, key: string | undefined) =>
  key && visitorId !== null ? `${visitorId} ${key}` : key

/** Throws chat.not_found if a visitor requests a session of another visitor. */
export function checkVisitor(deployment: Deployment, chat: { visitorId: string | null }): void {
  if (isVisitor(deployment) && chat.visitorId !== deployment?.visitorId) throw fail('chat.not_found')
}

/** For `.catch(…)` of a look-up: hides from visitors what is wrong with the agent's model. */
export const hideModelError =
  (deployment: Deployment) =>
  (error: unknown): never => {
    const isOfModel = error instanceof AppError && error.code.startsWith('llm.')
    throw isOfModel && isVisitor(deployment) ? fail('agent.inactive', {}, { cause: error }) : error
  }

/**
 * For `.catch(…)` of a write: deleting a deployment deletes the user that owns its sessions, so a violation of
 * that foreign key means that the caller's credential is revoked.
 */
export const refuseDeleted = (deployment: Deployment) =>
  deployment ? onForeignKeyViolation('auth.invalid_token') : undefined
