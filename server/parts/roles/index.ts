export { roleRoutes } from './routes.ts'
export { NewRole } from './schemas.ts'
export { roleTables } from './tables.ts'
