export { createClientKey, removeClientKeys, removeKeysOf } from './client-keys.ts'
export { apiKeyRoutes } from './routes.ts'
