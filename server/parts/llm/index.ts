export { discoverModels, environmentProviders } from './environment-models.ts'
export { ModelFinder, modelAsJson, type ResolvedModel, type StoredModel, targetOf } from './find-model.ts'
export { type CallSink, type Outcome, PaidCalls, type Preparation } from './paid-calls.ts'
export { llmRoutes } from './routes.ts'
