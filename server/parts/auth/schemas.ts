import Type, { type Static } from 'typebox'
import {
  Body,
  Email,
  Nullable,
  OpenQuery,
  PageOf,
  PersonName,
  Timestamp,
  Uuid,
} from '#platform/http/schemas.ts'
import { UserView } from '../users/index.ts'

const NewPassword = Type.String({ minLength: 8, maxLength: 128 })
const Token = Type.String({ minLength: 1, maxLength: 200 })
/** For browsers. */
export const session = Type.Optional(
  Type.Literal('cookie', {
    description:
      'Puts the refresh token in an HttpOnly cookie instead of the body. Refresh and logout then take no body.',
  }),
)

export const NewUser = Body({
  email: Email,
  password: NewPassword,
  first_name: PersonName,
  last_name: PersonName,
  session,
})
export type NewUser = Static<typeof NewUser>

export const Credentials = Body({
  email: Type.String({ minLength: 1, maxLength: 254 }),
  password: Type.String({ minLength: 1, maxLength: 128 }),
  session,
})
export type Credentials = Static<typeof Credentials>

export const RefreshToken = Body({
  refresh_token: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'Without it, the session cookie of a browser' }),
  ),
})

export const InvitedUser = Body({
  token: Token,
  password: NewPassword,
  first_name: PersonName,
  last_name: PersonName,
  session,
})
export type InvitedUser = Static<typeof InvitedUser>

export const MagicLink = Body({ token: Token, password: Type.Optional(NewPassword), session })
export type MagicLink = Static<typeof MagicLink>

export const OneTimeToken = Body({ token: Token })
export const ForgottenPassword = Body({ email: Email })
export const PasswordReset = Body({ token: Token, password: NewPassword })

export const OidcReturn = OpenQuery({
  state: Type.String({ minLength: 1, maxLength: 200 }),
  code: Type.Optional(Type.String({ maxLength: 4000 })),
  iss: Type.Optional(Type.String({ maxLength: 1000 })),
  error: Type.Optional(Type.String({ maxLength: 200 })),
  error_description: Type.Optional(Type.String({ maxLength: 1000 })),
})
export const OidcCode = Body({ code: Token, session })

export const SignInMethods = Type.Object(
  {
    signup: Type.Enum(['open', 'invite'], { description: 'invite: only who was invited can sign up' }),
    oidc: Type.Boolean({ description: 'Whether an OpenID provider is set up' }),
  },
  { $id: 'SignInMethods' },
)

export const SessionView = Type.Object(
  {
    id: Uuid,
    user_agent: Nullable(Type.String()),
    ip_address: Nullable(Type.String()),
    is_current: Type.Boolean(),
    created_at: Timestamp,
    last_used_at: Timestamp,
    expires_at: Timestamp,
  },
  { title: 'Session' },
)
export type SessionView = Static<typeof SessionView>
export const SessionPage = PageOf(SessionView, 'SessionPage')

const tokenPair = {
  access_token: Type.String(),
  refresh_token: Type.Optional(Type.String({ description: 'Absent where it is in a cookie' })),
  token_type: Type.Literal('Bearer'),
  expires_in: Type.Integer({ description: 'Seconds until the access token expires' }),
}
export const TokenPairView = Type.Object(tokenPair, { title: 'TokenPair' })
export const SignedIn = Type.Object({ user: UserView, ...tokenPair }, { title: 'SignedIn' })
export type SignedIn = Static<typeof SignedIn>

export const JwksView = Type.Object(
  { keys: Type.Array(Type.Record(Type.String(), Type.Unknown())) },
  { title: 'JsonWebKeySet' },
)
