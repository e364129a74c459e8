export { discoverModels, environmentProviders } from './environment-models.ts'
export { ModelFinder, type ResolvedModel } from './find-model.ts'
export { type CallSink, type Outcome, PaidCalls } from './paid-calls.ts'
export { llmRoutes } from './routes.ts'
