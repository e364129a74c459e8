import Type, { type Static } from 'typebox'
import { Body, Timestamp, Uuid } from '#platform/http/schemas.ts'

const Email = Type.String({ format: 'email', maxLength: 254 })
const PersonName = Type.String({ minLength: 1, maxLength: 100 })

export const NewUser = Body({
  email: Email,
  password: Type.String({ minLength: 8, maxLength: 128 }),
  first_name: PersonName,
  last_name: PersonName,
})
export type NewUser = Static<typeof NewUser>

export const Credentials = Body({
  email: Type.String({ minLength: 1, maxLength: 254 }),
  password: Type.String({ minLength: 1, maxLength: 128 }),
})
export type Credentials = Static<typeof Credentials>

export const RefreshToken = Body({ refresh_token: Type.String({ minLength: 1, maxLength: 200 }) })

export const UserView = Type.Object(
  {
    id: Uuid,
    email: Type.String(),
    first_name: Type.String(),
    last_name: Type.String(),
    full_name: Type.String(),
    organizations: Type.Array(
      Type.Object({
        id: Uuid,
        name: Type.String(),
        slug: Type.String(),
        role_id: Uuid,
        role_name: Type.String(),
      }),
    ),
    created_at: Timestamp,
  },
  { title: 'User' },
)
export type UserView = Static<typeof UserView>

const tokenPair = {
  access_token: Type.String(),
  refresh_token: Type.String(),
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
