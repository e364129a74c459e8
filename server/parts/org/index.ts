export { createOrganization } from './create-organization.ts'
export { changeRole, changeStatus, findMember, putMember } from './members.ts'
export { orgRoutes } from './routes.ts'
