export { joinByInvitation, redeemToken } from './accept-invitation.ts'
export { validateToken } from './read-invitations.ts'
export { invitationRoutes } from './routes.ts'
export { checkInviter, insertInvitation, refuseSecond, revokePending } from './send-invitations.ts'
