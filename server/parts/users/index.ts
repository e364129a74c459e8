export { createUser, type NewAccount } from './create-user-system.ts'
export { readUser } from './read-users-system.ts'
export { userRoutes } from './routes.ts'
export { UserView } from './schemas.ts'
