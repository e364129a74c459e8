export { conversationRoutes } from './routes.ts'
export { conversationTables } from './tables.ts'
