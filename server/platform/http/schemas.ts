import Type, { type Static, type TProperties, type TSchema } from 'typebox'
import type { Confirmation } from './define-route.ts'
import { VISIBLE_CHARACTER } from './visible-text.ts'

/** A request body. Refuses unknown keys, so that a typo is reported rather than ignored. */
export const Body = <P extends TProperties>(
  properties: P,
  options: { title?: string; description?: string } = {},
) => Type.Object(properties, { ...options, additionalProperties: false })

/** A query that ignores unknown parameters, for third-party clients that may send parameters unknown to Parley. */
export const OpenQuery = <P extends TProperties>(properties: P) =>
  Type.Object(properties, { additionalProperties: true })

/** Schema keyword: converts a string to lowercase. Not part of the API reference. */
export const LOWER_CASE = 'x-lower-case'

/**
 * Schema keyword: the description of one use of a component. Appears next to the reference and does not change the
 * component.
 */
export const USE_DESCRIPTION = 'x-use-description'

/**
 * Returns a copy of the schema with its own description in the API reference. The description of a component does not
 * change.
 */
export const described = <T extends TSchema>(schema: T, description: string): T =>
  Object.assign(copyOf(schema), { ['title' in schema ? USE_DESCRIPTION : 'description']: description })

/**
 * Copies property descriptors. A spread would lose the non-enumerable property that marks TypeBox's optional schemas.
 */
const copyOf = <T extends object>(value: T): T =>
  Object.defineProperties({}, Object.getOwnPropertyDescriptors(value)) as T

/** Schema keyword: the error message, after the field's name, for a string that does not match `pattern`. */
export const PATTERN_RULE = 'x-pattern-rule'

/** Returns schema options with a pattern and the rule in words for error messages. */
export const matching = (pattern: string, rule: string) => ({ pattern, [PATTERN_RULE]: rule })

export const NOT_BLANK = matching(VISIBLE_CHARACTER, 'must not be blank')
/** Marks strings that are names. Validation refuses invisible characters in them (plain-name.ts). */
export const PLAIN_NAME = 'x-plain-name'
export const PLAIN = { [PLAIN_NAME]: true }
/** Options of a name that people read. */
export const NAME = { ...NOT_BLANK, ...PLAIN }
/** Marks names that other organizations see. Validation refuses words that mix scripts which look alike (plain-name.ts). */
export const ONE_SCRIPT = 'x-one-script'
/** Options of a name that other organizations can see. */
export const PUBLIC_NAME = { ...NAME, [ONE_SCRIPT]: true }
export const WORD = matching('^[\\w-]+$', 'must contain only letters, digits, - and _')
export const PERMISSION = matching(
  '^(\\*|[a-z][a-z0-9_]*):(\\*|[a-z][a-z0-9_]*)$',
  'must be resource:action in lower case, such as kb:read; * matches any word',
)

/** Returns the schema for a message that a person writes to a model. */
export const messageText = (maxLength: number, description = 'Text of the message.') =>
  Type.String({ minLength: 1, maxLength, ...NOT_BLANK, description })

export const Uuid = Type.String({ format: 'uuid', [LOWER_CASE]: true })
/** Returns the schema for the id of another record, such as `idOf('the agent')`. */
export const idOf = (record: string) => described(Uuid, `ID of ${record}.`)
export const ObjectId = described(Uuid, 'Unique identifier of the object.')
export const OrgId = idOf('the organization')
export const OrganizationId = idOf('the organization that owns the object')
export const CreatedBy = idOf('the user who created the object')

export const Email = Type.String({ format: 'email', maxLength: 254, description: 'Email address.' })
const NAME_OF_PERSON = { minLength: 1, maxLength: 100, ...NAME }
export const FirstName = Type.String({ ...NAME_OF_PERSON, description: 'First name of the user.' })
export const LastName = Type.String({ ...NAME_OF_PERSON, description: 'Last name of the user.' })

export const Timestamp = Type.String({
  format: 'date-time',
  description: 'ISO 8601, UTC, with milliseconds.',
})
export const CreatedAt = described(Timestamp, 'When the object was created, in ISO 8601 (UTC).')
export const UpdatedAt = described(Timestamp, 'When the object was last changed, in ISO 8601 (UTC).')

export const Enum = <const T extends readonly string[]>(values: T, options: { description?: string } = {}) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...options })

/** Returns a schema that also allows null. The schema's description moves to the union. */
export function Nullable<T extends TSchema>(schema: T) {
  const key = 'title' in schema ? USE_DESCRIPTION : 'description'
  const { [key]: description, ...rest } = schema as Record<string, unknown>
  return Type.Unsafe<Static<T> | null>({
    anyOf: [rest, { type: 'null' }],
    ...(description !== undefined && { description }),
  })
}

/** Schema of the rules that a request breaks, as listed in an error. */
export const ISSUES = {
  type: 'array',
  description: 'Each rule that the request breaks. Present for `request.invalid`.',
  items: {
    type: 'object',
    required: ['path', 'message'],
    properties: {
      path: { type: 'string', description: 'Path of the field, such as `body.name`.' },
      message: { type: 'string', description: 'The rule that the field breaks, in a sentence.' },
    },
  },
}

/** Schema of the values in an error message. A client can use them to show the message in another language. */
export const VALUES = {
  type: 'object',
  description:
    'Values that `detail` shows, by name, such as `limit`. With `code`, a client can show the error in its own ' +
    'language. A 404 has `field` and `value`: the field of the request and its value, for which there is no ' +
    'record. Absent if the error has no values.',
  additionalProperties: { type: ['string', 'number'] },
}

/** `VALUES` of an error that a response reports beside its result. */
export const ErrorValues = Type.Unsafe<Record<string, string | number>>(VALUES)

/** The reason for a failed reply in a stream's last event (`errorFields` in #errors). */
export const FailedReply = Type.Object({
  error: Type.String({
    description:
      'Reason why the reply failed. With `events=all`, an event `failure` with `code` and `values` precedes it.',
  }),
})

/** Query parameter of streams that have only the named event `failure`. */
export const FailureEvents = Type.Optional(
  Enum(['all'], {
    description:
      '`all` also sends the event `failure` before an error: its code, and the values that its sentence shows.',
  }),
)

/** The reason for a failed reply in its stored message. */
export const FailureFields = {
  error: Nullable(Type.String({ description: 'Reason why the reply failed; null if it did not.' })),
  error_code: Nullable(
    Type.String({
      description:
        'Code of the error; null if the reply did not fail, or failed before errors of replies had codes.',
    }),
  ),
  error_values: Nullable(
    described(
      ErrorValues,
      'Values that `error` shows, by name; null if it shows none. With `error_code`, a client can show the error ' +
        'in its own language.',
    ),
  ),
}

export const REQUEST_ID = {
  type: 'string',
  format: 'uuid',
  description: 'ID of the request. Quote it in support requests.',
}

/** Additional fields of `auth.second_factor_needed`. */
export const SECOND_FACTOR = {
  challenge: {
    type: 'string',
    description: 'Challenge for POST /api/auth/verify_second_factor. Expires after 10 minutes.',
  },
  methods: {
    type: 'array',
    items: { type: 'string', enum: ['totp', 'passkey', 'recovery_code'] },
    description: 'Second factors that the user can sign in with.',
  },
  passkey_options: {
    type: 'object',
    description: 'PublicKeyCredentialRequestOptionsJSON (WebAuthn). Present if `methods` includes passkey.',
    additionalProperties: true,
  },
}

export const Message = Type.Object(
  { message: Type.String({ description: 'Confirmation in a sentence.' }) },
  { title: 'Message' },
)

/** The reply of an operation that returns a sentence instead of a record. */
export const confirms = (sentence: string, status: 200 | 201 = 200): Confirmation => [
  status,
  Message,
  sentence,
]

/**
 * Query parameters of a paginated list, newest first. With keyset pagination, deep pages cost no more than the first
 * page.
 */
export const PageQuery = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100,
      default: 20,
      description: 'Maximum number of items to return.',
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: '`next_cursor` of the previous page. Omit it for the first page.',
    }),
  ),
}

/** Query parameter that limits a list to records that contain words, for example in `the name or description`. */
export const searchedIn = (place: string) => ({
  q: Type.Optional(
    Type.String({ maxLength: 200, description: `Words to find in ${place}, in any order and case.` }),
  ),
})

export const Pagination = Type.Object(
  {
    next_cursor: Nullable(Type.String({ description: 'Cursor of the next page; null on the last page.' })),
    has_more: Type.Boolean({ description: 'Whether more items follow this page.' }),
  },
  { description: 'Where the list continues.' },
)

export const PageOf = <T extends TSchema>(item: T, title: string) =>
  Type.Object(
    { data: Type.Array(item, { description: 'Items of this page.' }), pagination: Pagination },
    { title },
  )

export const InputTokens = Type.Integer({ description: 'Tokens that the model read.' })
export const OutputTokens = Type.Integer({ description: 'Tokens that the model wrote, including reasoning.' })
