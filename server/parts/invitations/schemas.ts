import Type, { type Static } from 'typebox'
import { Body, Email, Enum, Nullable, PageOf, Timestamp, Uuid } from '#platform/http/schemas.ts'
import { compileValidator } from '#platform/http/validation.ts'

export const INVITATION_STATUSES = ['pending', 'accepted', 'expired', 'revoked'] as const
export type InvitationStatus = (typeof INVITATION_STATUSES)[number]

const Note = Type.String({
  maxLength: 1000,
  description: 'Quoted in the mail. Left out if you have not confirmed your own email address.',
})

export const NewInvitation = Body({ email: Email, role_id: Uuid, message: Type.Optional(Note) })
export type NewInvitation = Static<typeof NewInvitation>

/** A malformed address fails its own item only. */
const AnyAddress = Type.String({ maxLength: 1000, description: 'An email address' })
export const isEmail = compileValidator(Email, 'body')

export const NewInvitations = Body({
  invitations: Type.Array(Body({ email: AnyAddress, role_id: Uuid }), { minItems: 1, maxItems: 100 }),
  message: Type.Optional(Note),
})
export type NewInvitations = Static<typeof NewInvitations>

const OrganizationView = Type.Object({ id: Uuid, name: Type.String() })
const RoleView = Type.Object({ id: Uuid, name: Type.String(), hierarchy_level: Type.Integer() })

const invitation = {
  id: Uuid,
  email: Type.String(),
  status: Enum(INVITATION_STATUSES),
  role: Nullable(RoleView),
  organization: OrganizationView,
  message: Nullable(Type.String()),
  created_by: Uuid,
  created_at: Timestamp,
  expires_at: Timestamp,
}
export const InvitationView = Type.Object(invitation, { title: 'Invitation' })
export type InvitationView = Static<typeof InvitationView>
export const InvitationPage = PageOf(InvitationView, 'InvitationPage')

/** A link that signs its holder in (/api/users/invite) goes to his mailbox only: there is no token of it here. */
export const SentInvitation = Type.Object(
  { ...invitation, token: Type.Optional(Type.String({ description: 'Shown this once' })) },
  { title: 'SentInvitation' },
)
export type SentInvitation = Static<typeof SentInvitation>

export const BulkResult = Type.Object(
  {
    data: Type.Array(
      Type.Object({
        email: Type.String(),
        status: Enum(['created', 'error']),
        invitation: Type.Optional(SentInvitation),
        detail: Type.Optional(Type.String()),
      }),
    ),
  },
  { title: 'BulkInvitations' },
)
export type BulkResult = Static<typeof BulkResult>

export const ShownInvitation = Type.Object(
  {
    valid: Type.Literal(true),
    email: Type.String(),
    organization: OrganizationView,
    role: RoleView,
    expires_at: Timestamp,
    inviter: Type.String({ description: 'The name of who invites' }),
    message: Nullable(Type.String()),
    account: Enum(['none', 'unconfirmed', 'confirmed'], {
      description: 'Whether the email has an account by now, and its owner has shown that it is his',
    }),
  },
  { title: 'ValidInvitation' },
)
export type ShownInvitation = Static<typeof ShownInvitation>
export type ValidInvitation = Omit<ShownInvitation, 'inviter' | 'message' | 'account'>
