export { anthropicRoutes } from './routes.ts'
