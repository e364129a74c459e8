export { createUser, type NewAccount } from './create-user.ts'
export { readUser } from './read-users.ts'
export { userRoutes } from './routes.ts'
export { UserView } from './schemas.ts'
