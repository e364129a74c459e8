import Type, { type Static, type TProperties, type TSchema } from 'typebox'

/** A body: unknown keys are refused, so that a typo or a smuggled field is told and never swallowed (contract, 1). */
export const Body = <P extends TProperties>(properties: P, options: { title?: string } = {}) =>
  Type.Object(properties, { ...options, additionalProperties: false })

/** A query whose unknown parameters are ignored, for clients that are not ours to correct (contract, 1). */
export const OpenQuery = <P extends TProperties>(properties: P) =>
  Type.Object(properties, { additionalProperties: true })

/** Has a value taken in lower case; a matter of ours, not of the documentation. */
export const LOWER_CASE = 'x-lower-case'

/** What an error says behind the field's name where a text does not match its `pattern`. */
export const PATTERN_RULE = 'x-pattern-rule'

/** Options of a text that matches a pattern, with its rule in words: errors never show the pattern. */
export const matching = (pattern: string, rule: string) => ({ pattern, [PATTERN_RULE]: rule })

export const NOT_BLANK = matching('\\S', 'must not be blank')
export const WORD = matching('^[\\w-]+$', 'must hold only letters, digits, - and _')
export const PERMISSION = matching(
  '^(\\*|[a-z][a-z0-9_]*):(\\*|[a-z][a-z0-9_]*)$',
  'must be resource:action in lower case, such as kb:read; * stands for all of either',
)

export const Uuid = Type.String({ format: 'uuid', [LOWER_CASE]: true })
export const Email = Type.String({ format: 'email', maxLength: 254 })
export const PersonName = Type.String({ minLength: 1, maxLength: 100, ...NOT_BLANK })
export const Timestamp = Type.String({ format: 'date-time', description: 'ISO 8601, UTC, with milliseconds' })

export const Enum = <const T extends readonly string[]>(values: T, options: { description?: string } = {}) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...options })

export const Nullable = <T extends TSchema>(schema: T) =>
  Type.Unsafe<Static<T> | null>({ anyOf: [schema, { type: 'null' }] })

/** The places of a body or query that break a rule, as an error tells them. */
export const ISSUES = {
  type: 'array',
  items: {
    type: 'object',
    required: ['path', 'message'],
    properties: { path: { type: 'string' }, message: { type: 'string' } },
  },
}

/** What `auth.second_factor_needed` tells beside its sentence. */
export const SECOND_FACTOR = {
  challenge: { type: 'string', description: 'For POST /api/auth/second_factor; good for 10 minutes' },
  methods: { type: 'array', items: { type: 'string', enum: ['totp', 'passkey', 'recovery_code'] } },
  passkey_options: {
    type: 'object',
    description: 'PublicKeyCredentialRequestOptionsJSON (WebAuthn), where `methods` has passkey',
    additionalProperties: true,
  },
}

export const Message = Type.Object({ message: Type.String() }, { title: 'Message' })

/** The page of a list: newest first, by keyset, so its cost does not grow with the depth (contract, 1). */
export const PageQuery = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Items on a page' }),
  ),
  cursor: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'next_cursor of the page before' }),
  ),
}

export const PageOf = <T extends TSchema>(item: T, title: string) =>
  Type.Object(
    {
      data: Type.Array(item),
      pagination: Type.Object({ next_cursor: Nullable(Type.String()), has_more: Type.Boolean() }),
    },
    { title },
  )
