import Type, { type Static } from 'typebox'
import {
  Body,
  CreatedAt,
  described,
  Email,
  Enum,
  ErrorValues,
  idOf,
  Nullable,
  ObjectId,
  PageOf,
  Timestamp,
} from '#platform/http/schemas.ts'
import { compileValidator } from '#platform/http/validation.ts'

export const INVITATION_STATUSES = ['pending', 'accepted', 'expired', 'revoked'] as const
export type InvitationStatus = (typeof INVITATION_STATUSES)[number]

const Note = Type.String({
  maxLength: 1000,
  description: 'Message quoted in the email. Left out until the inviter confirms their own email address.',
})

export const NewInvitation = Body({
  email: Email,
  role_id: idOf('the role to assign'),
  message: Type.Optional(Note),
})
export type NewInvitation = Static<typeof NewInvitation>

/** Accepts any string, so that a malformed address fails only its own item and not the whole request. */
const AnyAddress = Type.String({ maxLength: 1000, description: 'Email address to invite.' })
export const isEmail = compileValidator(Email, 'body')

export const NewInvitations = Body({
  invitations: Type.Array(Body({ email: AnyAddress, role_id: idOf('the role to assign') }), {
    minItems: 1,
    maxItems: 100,
    description: 'Invitations to create, at most 100.',
  }),
  message: Type.Optional(Note),
})
export type NewInvitations = Static<typeof NewInvitations>

const OrganizationView = Type.Object({
  id: ObjectId,
  name: Type.String({ description: 'Display name of the organization.' }),
})
const RoleView = Type.Object({
  id: ObjectId,
  name: Type.String({ description: 'Name of the role.' }),
  hierarchy_level: Type.Integer({
    description: 'Hierarchy level of the role. Higher levels have more privileges.',
  }),
})

const invitation = {
  id: ObjectId,
  email: Type.String({ description: 'Invited email address.' }),
  status: Enum(INVITATION_STATUSES, { description: 'Status of the invitation.' }),
  role: Nullable(described(RoleView, 'Role that the invitation assigns; null if the role was deleted.')),
  organization: described(OrganizationView, 'Organization that the invitation leads to.'),
  message: Nullable(Type.String({ description: 'Message of the inviter; null if there is none.' })),
  created_by: idOf('the user who sent the invitation'),
  created_at: CreatedAt,
  expires_at: described(Timestamp, 'When the invitation expires.'),
}
export const InvitationView = Type.Object(invitation, { title: 'Invitation' })
export type InvitationView = Static<typeof InvitationView>
export const InvitationPage = PageOf(InvitationView, 'InvitationPage')

export const EmailSent = Type.Boolean({
  description: 'Whether the server sends the link by email. False if it has no mail server.',
})

/**
 * A sent invitation. Omits the token of a magic link (/api/users/invite): that token signs its holder in, so it is
 * only sent by email.
 */
export const SentInvitation = Type.Object(
  {
    ...invitation,
    token: Type.Optional(Type.String({ description: 'Token of the invitation link. Returned once.' })),
    email_sent: EmailSent,
    message_left_out: Type.Boolean({
      description:
        'True if the email does not quote the message, because the inviter has not confirmed their own email address.',
    }),
  },
  { title: 'SentInvitation' },
)
export type SentInvitation = Static<typeof SentInvitation>

export const BulkResult = Type.Object(
  {
    data: Type.Array(
      Type.Object({
        email: Type.String({ description: 'Email address of the item.' }),
        status: Enum(['created', 'error'], { description: 'Whether the invitation was created.' }),
        invitation: Type.Optional(described(SentInvitation, 'The created invitation. Absent on error.')),
        detail: Type.Optional(Type.String({ description: 'Reason for the error. Absent on success.' })),
        code: Type.Optional(
          Type.String({ description: 'Stable code of the error, such as `user.exists`. Absent on success.' }),
        ),
        values: Type.Optional(ErrorValues),
      }),
      { description: 'Result of each invitation, in the order of the request.' },
    ),
  },
  { title: 'BulkInvitations' },
)
export type BulkResult = Static<typeof BulkResult>

export const ShownInvitation = Type.Object(
  {
    valid: Type.Literal(true, { description: 'Always true. An invalid token returns an error.' }),
    email: Type.String({ description: 'Invited email address.' }),
    organization: described(OrganizationView, 'Organization that the invitation leads to.'),
    role: described(RoleView, 'Role that the invitation assigns.'),
    expires_at: described(Timestamp, 'When the invitation expires.'),
    inviter: Type.String({ description: 'Name of the inviter.' }),
    message: Nullable(Type.String({ description: 'Message of the inviter; null if there is none.' })),
    account: Enum(['none', 'unconfirmed', 'confirmed'], {
      description: 'Whether the email address has an account, and whether the account confirmed it.',
    }),
  },
  { title: 'ValidInvitation' },
)
export type ShownInvitation = Static<typeof ShownInvitation>
export type ValidInvitation = Omit<ShownInvitation, 'inviter' | 'message' | 'account'>
