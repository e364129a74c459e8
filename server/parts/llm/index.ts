export { discoverModels, environmentProviders } from './environment-models.ts'
export { findModel, type ResolvedModel } from './find-model.ts'
export { llmRoutes } from './routes.ts'
