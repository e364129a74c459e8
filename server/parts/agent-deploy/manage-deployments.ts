import { eq } from '#database/drizzle.ts'
import { newId } from '#database/new-id.ts'
import { agentDeployments } from '#database/schema/agent-deploy.ts'
import { agents } from '#database/schema/agents.ts'
import { fail } from '#errors'
import { DEPLOYMENT_KEY_PREFIX } from '#platform/access/credentials.ts'
import type { Scope } from '#platform/access/scope.ts'
import type { Events } from '#platform/events/events.ts'
import { listRecords } from '#platform/http/list-records.ts'
import { mergeFields } from '#platform/http/merge-fields.ts'
import type { ListQuery, Page } from '#platform/http/pagination.ts'
import { hashToken, newToken } from '#platform/secrets/secrets.ts'
import type { DeploymentChats } from '../chat/index.ts'
import { checkConfig } from './check-config.ts'
import {
  type Config,
  type DeploymentChange,
  type DeploymentRow,
  type DeploymentView,
  type DeploymentWithKey,
  type NewDeployment,
  viewDeployment,
} from './schemas.ts'

/** Number of characters of a key that are stored and shown to distinguish keys. */
const SHOWN_CHARACTERS = 10

/** Creates a deployment and returns its key. Throws agent.not_found, deployment.config_invalid. */
export async function createDeployment(
  scope: Scope<'agent:write'>,
  input: NewDeployment,
): Promise<DeploymentWithKey> {
  const config = checkConfig(input.deployment_type, input.config)
  const { key, ...stored } = newKey()
  const row = await scope.transaction(async (database) => {
    // Locks the agent, so that it can't be deleted concurrently.
    const [agent] = await database.select(agents, { where: eq(agents.id, input.agent_id), lock: true })
    if (!agent) throw fail('agent.not_found', { value: input.agent_id })
    return database.insert(agentDeployments, {
      id: newId(),
      createdBy: scope.userId,
      agentId: agent.id,
      visitorUserId: newId(),
      name: input.name.trim(),
      description: input.description,
      deploymentType: input.deployment_type,
      config,
      ...stored,
    })
  })
  return { ...viewDeployment(row), api_key: key }
}

/** Returns the organization's deployments, newest first. */
export const listDeployments = (
  scope: Scope<'agent:read'>,
  query: ListQuery,
): Promise<Page<DeploymentView>> =>
  listRecords(scope, agentDeployments, {
    query,
    view: viewDeployment,
    searched: [agentDeployments.name, agentDeployments.description],
  })

export async function getDeployment(
  scope: Scope<'agent:read'> | Scope<'agent:write'>,
  id: string,
): Promise<DeploymentView> {
  const [row] = await scope.select(agentDeployments, { where: eq(agentDeployments.id, id) })
  return viewDeployment(found(row, id))
}

/**
 * Updates the given fields, and the given keys of `config`. A change of status is published to webhooks
 * and to members who may read deployments. Throws deployment.not_found, deployment.config_invalid.
 */
export async function updateDeployment(
  events: Events,
  scope: Scope<'agent:write'>,
  id: string,
  change: DeploymentChange,
): Promise<DeploymentView> {
  const [before, after] = await scope.transaction(async (database) => {
    const [row] = await database.select(agentDeployments, { where: eq(agentDeployments.id, id), lock: true })
    const known = found(row, id)
    const [changed = known] = await database.update(agentDeployments, eq(agentDeployments.id, id), {
      ...(change.name !== undefined && { name: change.name.trim() }),
      ...(change.description !== undefined && { description: change.description }),
      ...(change.config !== undefined && {
        config: checkConfig(known.deploymentType, mergeFields(known.config as Config, change.config)),
      }),
      ...(change.status !== undefined && { status: change.status }),
      updatedAt: new Date(),
    })
    if (changed.status !== known.status)
      await database.announce([
        { type: 'agent_deployment.status_changed', data: statusChange(known, changed) },
      ])
    return [known, changed]
  })
  if (before.status !== after.status)
    events.publish({
      type: 'deployment.status',
      organizationId: scope.organizationId,
      data: { deployment_id: id, status: after.status },
      to: { permission: 'agent:read' },
    })
  return viewDeployment(after)
}

const statusChange = ({ status: previous }: DeploymentRow, { id, name, status }: DeploymentRow) => ({
  deployment_id: id,
  name,
  status,
  previous_status: previous,
})

/** Replaces the key and returns the new one. The previous key is revoked immediately. Throws deployment.not_found. */
export async function regenerateKey(scope: Scope<'agent:write'>, id: string): Promise<DeploymentWithKey> {
  const { key, ...stored } = newKey()
  const [row] = await scope.update(agentDeployments, eq(agentDeployments.id, id), {
    ...stored,
    updatedAt: new Date(),
  })
  return { ...viewDeployment(found(row, id)), api_key: key }
}

/**
 * Deletes a deployment permanently, with its sessions and their messages. First stops replies in progress, which are
 * still charged for their usage. Throws deployment.not_found.
 */
export async function deleteDeployment(
  chats: Pick<DeploymentChats, 'stopAll'>,
  scope: Scope<'agent:delete'>,
  id: string,
): Promise<void> {
  await chats.stopAll({ organizationId: scope.organizationId, deploymentId: id })
  const [deleted] = await scope.delete(agentDeployments, eq(agentDeployments.id, id))
  found(deleted, id)
}

/** Generates a key. Returns it with the columns to store. */
export function newKey(): { key: string } & Pick<DeploymentRow, 'keyHash' | 'apiKeyPrefix'> {
  const key = newToken(DEPLOYMENT_KEY_PREFIX)
  return { key, keyHash: hashToken(key), apiKeyPrefix: key.slice(0, SHOWN_CHARACTERS) }
}

function found(row: DeploymentRow | undefined, id: string): DeploymentRow {
  if (!row) throw fail('deployment.not_found', { value: id })
  return row
}
