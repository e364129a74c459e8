export { createClientKey } from './client-keys.ts'
export { removeClientKeys, removeKeysOf } from './remove-keys-system.ts'
export { apiKeyRoutes } from './routes.ts'
export { apiKeyTables } from './tables.ts'
