import { fail } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import type { EventStream } from '#platform/http/define-route.ts'
import { isBlank } from '#platform/http/visible-text.ts'
import type { Services } from '#platform/services.ts'
import {
  type ModelFinder,
  modelReason,
  type PaidCalls,
  type Preparation,
  type ResolvedModel,
} from '../llm/index.ts'
import type { Mcp } from '../mcp/index.ts'
import { checkPrefix, chooseModel } from './choose-model.ts'
import { prepareDirect } from './direct-mode.ts'
import { Discovery } from './discovery-mode.ts'
import { bounded, type Exchange, type PlaygroundMemory, type PlaygroundMode } from './memory.ts'
import { CalledTools } from './next-pages.ts'
import { PlaygroundEvents } from './playground-events.ts'
import type { PlaygroundMessage } from './schemas.ts'

export interface PlaygroundDependencies {
  services: Pick<Services, 'config' | 'log'>
  mcp: Pick<Mcp, 'findInstances' | 'openTools' | 'searchCatalogue' | 'chooseTools'>
  models: ModelFinder
  calls: PaidCalls
  memory: PlaygroundMemory
}

type Executor = Scope<'mcp:write'>

interface Reply {
  mode: PlaygroundMode
  model: ResolvedModel
  prepare: Preparation
  /** Returns the ids of the catalogue servers that a reply recommends. */
  recommendedBy(answer: string): string[]
}

/**
 * Streams the reply to a message. Uses direct mode if the message names MCP connections, and discovery mode otherwise.
 * A client disconnect aborts the reply. Before the stream begins, throws mcp.model_prefix,
 * mcp.no_valid_instances, `llm.*` and billing.insufficient_credits.
 */
export async function chat(
  deps: PlaygroundDependencies,
  scope: Executor,
  message: PlaygroundMessage,
  named: boolean,
): Promise<EventStream> {
  checkPrefix(message.model)
  const askedAt = new Date().toISOString()
  const { mode, model, prepare, recommendedBy } = await openReply(deps, scope, message)
  const events = new PlaygroundEvents()
  const called = new CalledTools()
  const abandoned = new AbortController()
  const sink = {
    text: (text: string) => events.addText(text),
    // In discovery mode, the only tool records recommendations. Clients don't receive its calls.
    ...(mode === 'direct' && toolSink(events, called)),
  }
  const known = { messages: [{ role: 'user' as const, content: message.content }] }
  const { ended } = await deps.calls.begin(scope, model, { known, prepare }, sink, abandoned.signal)
  void ended.then(async ({ failure, content }) => {
    const answeredAt = new Date().toISOString()
    const { content: question } = message
    await remember(deps, scope, {
      mode,
      question,
      askedAt,
      answer: content,
      answeredAt,
      calls: called.stored,
    })
    const recommended = failure ? [] : recommendedBy(content)
    if (recommended.length > 0) events.recommend(recommended)
    events.end(failure && modelReason(failure))
  })
  return { log: events.log, named, abandoned }
}

async function openReply(
  deps: PlaygroundDependencies,
  scope: Executor,
  { content: question, mcp_instance_ids: ids = [], model: named }: PlaygroundMessage,
): Promise<Reply> {
  const { organizationId, userId } = scope
  const mode = ids.length > 0 ? 'direct' : 'discovery'
  const onlyOrganizationId = scope.apiKeyId === null ? null : organizationId
  const instances = mode === 'direct' ? await deps.mcp.findInstances(userId, onlyOrganizationId, ids) : []
  if (mode === 'direct' && instances.length === 0) throw fail('mcp.no_valid_instances')
  const model = await chooseModel(deps.models, deps.services.config.playgroundModels, scope, mode, named)
  const remembered = readMemory(deps, scope)
  if (mode === 'direct') {
    const prepare = prepareDirect(deps.mcp, model, { question, instances, remembered })
    return { mode, model, prepare, recommendedBy: () => [] }
  }
  const discovery = new Discovery()
  const prepare = discovery.prepare(deps.mcp, model, { userId, onlyOrganizationId, question, remembered })
  return { mode, model, prepare, recommendedBy: (answer) => discovery.recommendedBy(answer) }
}

const toolSink = ({ calls }: PlaygroundEvents, called: CalledTools) => ({
  toolStarted: (call: Parameters<CalledTools['add']>[0]) => calls.begin(call),
  toolEnded(call: Parameters<CalledTools['add']>[0], outcome: Parameters<CalledTools['add']>[1]): void {
    calls.end(call, outcome)
    called.add(call, outcome)
  },
})

/** Reads the user's memory. If the memory is unavailable, the reply continues without it. */
async function readMemory(
  { memory, services: { log } }: PlaygroundDependencies,
  scope: Executor,
): Promise<Exchange[]> {
  try {
    return await memory.read(scope)
  } catch (error) {
    log.warn({ err: error }, 'playground memory could not be read')
    return []
  }
}

/**
 * Stores an exchange in the user's memory. Skips an exchange with an empty reply, because the user will ask again.
 */
async function remember(
  { memory, services: { log } }: PlaygroundDependencies,
  scope: Executor,
  exchange: Exchange,
): Promise<void> {
  if (isBlank(exchange.answer)) return
  try {
    await memory.append(scope, bounded(exchange))
  } catch (error) {
    log.warn({ err: error }, 'a playground exchange could not be stored')
  }
}
