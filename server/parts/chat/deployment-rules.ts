import { onForeignKeyViolation } from '#database/sql-state.ts'
import { AppError, fail } from '#errors'
import type { OpenDeployment } from '#platform/access/scope.ts'

/*
 * Rules for turns in a deployment's sessions. The daily message limit is in
 * platform/limits/daily-messages.ts. A null deployment means that a member sends the turn; then no rule applies. All
 * visitors of a deployment share one user, and the deployment's key acts for all visitors.
 */

type Deployment = OpenDeployment | null

/** True if a visitor sends the turn. False for a member and for the deployment's key. */
export const isVisitor = (deployment: Deployment): boolean =>
  deployment !== null && deployment.visitorId !== null

/**
 * Prefixes an idempotency key with the visitor's id. Keys contain no space, so a visitor cannot forge another
 * visitor's key.
 */
export const keyPerVisitor = ({ visitorId }: OpenDeployment, key: string | undefined) =>
  key && visitorId !== null ? `${visitorId} ${key}` : key

/** Throws chat.not_found if a visitor requests another visitor's session. */
export function checkVisitor(deployment: Deployment, chat: { id: string; visitorId: string | null }): void {
  if (isVisitor(deployment) && chat.visitorId !== deployment?.visitorId)
    throw fail('chat.not_found', { value: chat.id })
}

/**
 * Returns a handler for `.catch(…)` that hides errors of the agent's model from visitors. They get agent.inactive.
 */
export const hideModelError =
  (deployment: Deployment) =>
  (error: unknown): never => {
    const isOfModel = error instanceof AppError && error.code.startsWith('llm.')
    throw isOfModel && isVisitor(deployment) ? fail('agent.inactive', {}, { cause: error }) : error
  }

/**
 * Returns a handler for `.catch(…)` of a write. Deleting a deployment deletes the user that owns its sessions. A
 * violated foreign key therefore means that the deployment is gone and the caller's credential is invalid.
 */
export const refuseDeleted = (deployment: Deployment) =>
  deployment ? onForeignKeyViolation('auth.invalid_token') : undefined
