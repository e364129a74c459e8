import { onForeignKeyViolation } from '#database/sql-state.ts'
import { AppError, fail } from '#errors'
import type { OpenDeployment } from '#platform/access/scope.ts'

/*
 * What is different in a turn that a deployment sends (contract, 10), beside its messages of the day
 * (platform/limits/daily-messages.ts). Null is a turn of a member, in which nothing of this applies. All visitors of a
 * deployment are one user; the key of a deployment acts for all of them.
 */

type Deployment = OpenDeployment | null

/** Whether a visitor sends, and not the holder of the deployment's key. */
export const isVisitor = (deployment: Deployment): boolean =>
  deployment !== null && deployment.visitorId !== null

/** A visitor's keys are apart from those of others. A space is in no key, so nobody can name another visitor's key. */
export const keyPerVisitor = ({ visitorId }: OpenDeployment, key: string | undefined) =>
  key && visitorId !== null ? `${visitorId} ${key}` : key

/** A visitor has the visitor's own sessions, the deployment's key all of them. Throws chat.not_found. */
export function checkVisitor(deployment: Deployment, chat: { visitorId: string | null }): void {
  if (isVisitor(deployment) && chat.visitorId !== deployment?.visitorId) throw fail('chat.not_found')
}

/** For `.catch(…)` of a look-up: a visitor is not told what is wrong with the model behind the agent. */
export const hideModelError =
  (deployment: Deployment) =>
  (error: unknown): never => {
    const isOfModel = error instanceof AppError && error.code.startsWith('llm.')
    throw isOfModel && isVisitor(deployment) ? fail('agent.inactive', {}, { cause: error }) : error
  }

/**
 * For `.catch(…)` of a write. Deleting a deployment deletes the user that owns its sessions, so a write that violates
 * the foreign key means that the caller's credential is void.
 */
export const refuseDeleted = (deployment: Deployment) =>
  deployment ? onForeignKeyViolation('auth.invalid_token') : undefined
