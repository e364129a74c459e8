import type { RouteConfig } from '#database/schema/llm.ts'
import { AppError, fail } from '#errors'
import { defaultContextWindow } from '#platform/models/index.ts'
import type { Provider } from '#platform/models/types.ts'
import type { CallableModel, ResolvedModel, StoredModel } from './find-model.ts'
import { sharedCapabilities } from './schemas.ts'

type Member = Omit<StoredModel, 'members'>

/** Returns the name that the provider uses for a model. */
export const modelOf = ({ config, version }: Pick<StoredModel, 'config' | 'version'>): string =>
  config.model ?? version

export const contextWindowOf = (row: Member): number =>
  row.config.context_window ?? defaultContextWindow(row.provider as Provider, modelOf(row))

/**
 * Resolves a route for one request: chooses the order of its members. Leaves out members that are inactive or not
 * configured. Throws llm.no_member if none is left.
 */
export function resolveRoute(
  route: StoredModel,
  members: readonly Member[],
  callableOf: (member: Member) => CallableModel,
): ResolvedModel {
  const active = inOrder(route.config.route, members).filter(({ isActive }) => isActive)
  const [first, ...others] = active.flatMap((member) => callableOrNone(callableOf, member))
  if (!first) throw fail('llm.no_member')
  const { first_token_seconds: seconds } = route.config.route ?? {}
  return {
    ...first,
    id: route.id,
    name: route.name,
    members: [first, ...others],
    ...(seconds !== undefined && { firstTokenMs: seconds * 1_000 }),
    contextWindow: Math.min(...members.map(contextWindowOf)),
    capabilities: sharedCapabilities(members),
  }
}

function callableOrNone(callableOf: (member: Member) => CallableModel, member: Member): CallableModel[] {
  try {
    return [callableOf(member)]
  } catch (error) {
    if (error instanceof AppError) return []
    throw error
  }
}

/**
 * Returns the members as listed, or in a random order in which each next member is drawn by its weight: the order of
 * exponentially distributed times with the weights as rates.
 */
function inOrder(route: RouteConfig | undefined, members: readonly Member[]): readonly Member[] {
  if (route?.strategy !== 'weighted') return members
  const timeOf = ({ id }: Member): number => {
    const { weight = 1 } = route.members.find(({ model_id: modelId }) => modelId === id) ?? {}
    return -Math.log(1 - Math.random()) / weight
  }
  return members
    .map((member) => ({ member, time: timeOf(member) }))
    .sort((one, other) => one.time - other.time)
    .map(({ member }) => member)
}
