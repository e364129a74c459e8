import Type, { type Static } from 'typebox'
import {
  Body,
  CreatedAt,
  described,
  Email,
  FirstName,
  LastName,
  Nullable,
  ObjectId,
  OpenQuery,
  PageOf,
  Timestamp,
} from '#platform/http/schemas.ts'
import { UserView } from '../users/index.ts'

const NewPassword = Type.String({ minLength: 8, maxLength: 128, description: 'Password of the account.' })
const Token = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'Single-use token from the link in the email.',
})
/** Where browsers keep the refresh token. Other clients omit the field. */
export const session = Type.Optional(
  Type.Literal('cookie', {
    description:
      '`cookie` returns the refresh token in an HttpOnly cookie instead of the body. Refresh and logout then need no body.',
  }),
)

export const NewUser = Body({
  email: Email,
  password: NewPassword,
  first_name: FirstName,
  last_name: LastName,
  session,
})
export type NewUser = Static<typeof NewUser>

export const Credentials = Body({
  email: Type.String({ minLength: 1, maxLength: 254, description: 'Email address of the account.' }),
  password: Type.String({ minLength: 1, maxLength: 128, description: 'Password of the account.' }),
  session,
})
export type Credentials = Static<typeof Credentials>

export const RefreshToken = Body({
  refresh_token: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Refresh token. Omit it to use the session cookie.',
    }),
  ),
})

export const InvitedUser = Body({
  token: Token,
  password: NewPassword,
  first_name: FirstName,
  last_name: LastName,
  session,
})
export type InvitedUser = Static<typeof InvitedUser>

export const MagicLink = Body({ token: Token, password: Type.Optional(NewPassword), session })
export type MagicLink = Static<typeof MagicLink>

export const OneTimeToken = Body({ token: Token })
/** Any address that can sign in, so also one without a domain, such as that of the first administrator. */
export const ForgottenPassword = Body({ email: Credentials.properties.email })
export const PasswordReset = Body({ token: Token, password: NewPassword })

export const OidcReturn = OpenQuery({
  state: Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'State of the sign-in, from the authorization request.',
  }),
  code: Type.Optional(
    Type.String({ maxLength: 4000, description: 'Authorization code from the OpenID provider.' }),
  ),
  iss: Type.Optional(Type.String({ maxLength: 1000, description: 'Issuer of the response (RFC 9207).' })),
  error: Type.Optional(
    Type.String({ maxLength: 200, description: 'Error code of the OpenID provider (RFC 6749, 4.1.2.1).' }),
  ),
  error_description: Type.Optional(
    Type.String({ maxLength: 1000, description: 'Error description of the OpenID provider.' }),
  ),
})
export const OidcCode = Body({
  code: described(Token, 'Single-use code from the sign-in redirect.'),
  session,
})

export const SignInMethods = Type.Object(
  {
    signup: Type.Enum(['open', 'invite'], {
      description: '`open`: anyone can sign up. `invite`: only people with an invitation can.',
    }),
    oidc: Type.Boolean({ description: 'Whether an OpenID provider is configured.' }),
    email: Type.Boolean({
      description:
        'Whether the installation sends email. If not, emails are stored on the server and reach no one.',
    }),
  },
  { $id: 'SignInMethods' },
)

export const SessionView = Type.Object(
  {
    id: ObjectId,
    user_agent: Nullable(Type.String({ description: 'User-Agent header of the sign-in; null if absent.' })),
    ip_address: Nullable(Type.String({ description: 'IP address of the sign-in or the last refresh.' })),
    is_current: Type.Boolean({ description: 'Whether this is the session of the request.' }),
    created_at: CreatedAt,
    last_used_at: described(Timestamp, 'When the session was last refreshed.'),
    expires_at: described(Timestamp, 'When the session expires.'),
  },
  { title: 'Session' },
)
export type SessionView = Static<typeof SessionView>
export const SessionPage = PageOf(SessionView, 'SessionPage')

const tokenPair = {
  access_token: Type.String({ description: 'JWT for the `Authorization: Bearer` header.' }),
  refresh_token: Type.Optional(
    Type.String({ description: 'Single-use token for a new token pair. Absent if it is in a cookie.' }),
  ),
  token_type: Type.Literal('Bearer', { description: 'Always `Bearer`.' }),
  expires_in: Type.Integer({ description: 'Seconds until the access token expires.' }),
}
export const TokenPairView = Type.Object(tokenPair, { title: 'TokenPair' })
export const SignedIn = Type.Object(
  { user: described(UserView, 'The signed-in user.'), ...tokenPair },
  { title: 'SignedIn' },
)
export type SignedIn = Static<typeof SignedIn>

export const JwksView = Type.Object(
  {
    keys: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
      description: 'JSON Web Keys that verify access tokens (RFC 7517).',
    }),
  },
  { title: 'JsonWebKeySet' },
)
