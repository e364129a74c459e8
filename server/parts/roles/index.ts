export { roleRoutes } from './routes.ts'
export { NewRole } from './schemas.ts'
