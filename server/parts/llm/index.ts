export { connectionRoutes } from './connection-routes.ts'
export { defaultRoutes } from './default-routes.ts'
export { discoverModels } from './environment-models-system.ts'
export {
  type CallableModel,
  type DefaultCaller,
  environmentProviders,
  fromEnvironment as environmentAddress,
  ModelFinder,
  type ResolvedModel,
  type StoredModel,
  targetOf,
} from './find-model.ts'
export { modelAsJson } from './find-model-system.ts'
export { MODEL_FAILURES, modelFailure, modelReason } from './model-failure.ts'
export {
  type CallSink,
  type Outcome,
  PaidCalls,
  type Preparation,
  type UnpreparedRequest,
} from './paid-calls.ts'
export { listProviderHealth } from './provider-health-system.ts'
export { llmRoutes } from './routes.ts'
export { NewModel } from './schemas.ts'
export { modelTables } from './tables.ts'
