export { createClientKey, removeClientKeys } from './client-keys.ts'
export { apiKeyRoutes } from './routes.ts'
