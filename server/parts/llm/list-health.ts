import { olderThan } from '#database/keyset.ts'
import { AppError } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import { type Page, readPage } from '#platform/http/pagination.ts'
import type { TargetHealth } from '#platform/models/health.ts'
import type { Services } from '#platform/services.ts'
import { callableOf, environmentProviders, type StoredModel } from './find-model.ts'
import { modelColumns } from './find-model-system.ts'
import type { ModelHealthView } from './schemas.ts'

/**
 * Returns the health of the active models that the organization can use, as seen by this process, newest model first.
 */
export function listHealth(
  services: Services,
  scope: Scope<'organization:read'>,
  query: { limit?: number; cursor?: string },
): Promise<Page<ModelHealthView>> {
  const { sql, organizationId } = scope
  const providers = environmentProviders(services)
  const healthOf = (model: Member): Health => readHealth(services, model, organizationId)
  return readPage(
    query,
    (below, count) => sql<StoredModel[]>`
      select ${modelColumns(sql)} from llm_models m
      where m.is_active
        and (m.organization_id = ${organizationId} or m.organization_id is null and m.provider = any(${providers}))
        and ${olderThan(sql, 'm.id', below)}
      order by m.id desc limit ${count}`,
    ({ members, ...model }) => {
      const { id, name, provider } = model
      if (!members) return { id, name, provider, ...healthOf(model) }
      const each = members.map((member) => ({ id: member.id, name: member.name, ...healthOf(member) }))
      return { id, name, provider, ...summarize(each), members: each }
    },
  )
}

type Member = Omit<StoredModel, 'members'>
type Health = Pick<ModelHealthView, 'state' | 'error' | 'since'>

/** A model that cannot be called because of its settings is down, too. */
function readHealth(services: Services, model: Member, organizationId: string): Health {
  try {
    return view(services.models.health.of(callableOf(services, model, organizationId).target))
  } catch (error) {
    if (error instanceof AppError) return { state: 'down', error: error.message, since: null }
    throw error
  }
}

const view = ({ state, error, since }: TargetHealth): Health => ({
  state,
  error,
  since: since?.toISOString() ?? null,
})

/** A route is down if all members are. Its error is that of the first member that has one. */
function summarize(members: readonly Health[]): Health {
  const failing = members.find(({ state }) => state !== 'healthy')
  if (!failing) return { state: 'healthy', error: null, since: null }
  const isDown = members.every(({ state }) => state === 'down')
  return { state: isDown ? 'down' : 'degraded', error: failing.error, since: failing.since }
}
