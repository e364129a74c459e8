export { openAiRoutes } from './routes.ts'
