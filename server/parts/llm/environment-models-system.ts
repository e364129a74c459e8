import { and, eq, isNull } from '#database/drizzle.ts'
import { newId } from '#database/new-id.ts'
import { llmModels } from '#database/schema/llm.ts'
import { systemDb } from '#database/system-sql.ts'
import { fail } from '#errors'
import type { Provider } from '#platform/models/types.ts'
import type { Services } from '#platform/services.ts'
import { environmentProviders, fromEnvironment } from './find-model.ts'
import { type EnvironmentModelChange, type ModelView, viewModel } from './schemas.ts'

/**
 * Built-in demo models and their names. They are listed only if the environment configures no provider.
 * The text model is last and therefore first in lists, which show the newest model first.
 */
const DEMO_MODELS: Record<string, string> = {
  'parley-demo-image': 'Parley demo for images (no image model)',
  'parley-demo-video': 'Parley demo for videos (no video model)',
  'parley-demo-transcription': 'Parley demo for recordings (no speech model)',
  'parley-demo': 'Parley demo (no language model)',
}

/** Lists the models of each provider configured in the environment, and stores new models. Logs failures. */
export async function discoverModels(services: Services): Promise<void> {
  await Promise.all(
    environmentProviders(services).map(async (provider) => {
      try {
        const found =
          provider === 'demo'
            ? Object.keys(DEMO_MODELS).map((model) => ({ model }))
            : await services.models.listModels({
                provider,
                model: '',
                ...fromEnvironment(services, provider),
              })
        await noteModels(services, provider, found)
      } catch (error) {
        services.log.warn({ err: error, provider }, 'models of a provider could not be listed')
      }
    }),
  )
}

type FoundModel = Awaited<ReturnType<Services['models']['listModels']>>[number]

async function noteModels({ database }: Services, provider: Provider, found: FoundModel[]): Promise<void> {
  if (found.length === 0) return
  await systemDb(database)
    .insert(llmModels)
    .values(
      found.map(({ model, contextWindow }) => ({
        id: newId(),
        organizationId: null,
        name: provider === 'demo' ? (DEMO_MODELS[model] ?? model) : model,
        provider,
        version: model,
        config: {
          ...(contextWindow !== undefined && { context_window: contextWindow }),
        },
      })),
    )
    .onConflictDoNothing()
}

const isEnvironments = (modelId: string) => and(eq(llmModels.id, modelId), isNull(llmModels.organizationId))

/** Returns an environment model. Throws llm.not_found. */
export async function getEnvironmentModel({ database }: Services, modelId: string): Promise<ModelView> {
  const [row] = await systemDb(database).select().from(llmModels).where(isEnvironments(modelId))
  if (!row) throw fail('llm.not_found', { value: modelId })
  return viewModel(row)
}

/**
 * Sets the price and availability of an environment model. Only for the system administrator. Throws llm.not_found.
 */
export async function updateEnvironmentModel(
  { database }: Services,
  modelId: string,
  change: EnvironmentModelChange,
): Promise<ModelView> {
  const { is_active: isActive, ...ratios } = change
  return systemDb(database).transaction(async (tx) => {
    const [before] = await tx.select().from(llmModels).where(isEnvironments(modelId)).for('update')
    if (!before) throw fail('llm.not_found', { value: modelId })
    const [row = before] = await tx
      .update(llmModels)
      .set({
        config: { ...before.config, ...ratios },
        ...(isActive !== undefined && { isActive }),
        updatedAt: new Date(),
      })
      .where(isEnvironments(modelId))
      .returning()
    return viewModel(row)
  })
}
