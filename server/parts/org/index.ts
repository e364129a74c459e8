export { createOrganization } from './create-organization.ts'
export { changeRole, changeStatus, putMember } from './members.ts'
export { orgRoutes } from './routes.ts'
