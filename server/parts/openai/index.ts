export { responseSocket } from './responses/socket.ts'
export { responseRetention } from './responses/store.ts'
export { openAiRoutes } from './routes.ts'
export { openAiTables } from './tables.ts'
